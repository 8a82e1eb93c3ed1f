// CommitStage: responses and answers leave in order, and never before the writes that they stand for are done.
`default_nettype none

// What the stage remembers of failed queue pairs is not part of the proof: any memory.
module hpcc_ram #(
  parameter integer WIDTH = 1,
  parameter integer ADDRESS = 1,
  parameter integer OUTPUT_REGISTER = 0
) (
  input wire clk,
  input wire [ADDRESS-1:0] raddr,
  output wire [WIDTH-1:0] rdata,
  input wire we,
  input wire [ADDRESS-1:0] waddr,
  input wire [WIDTH-1:0] wdata
);
  assign rdata = $anyseq;
endmodule

// Nor is what its queues hold, free_fifo.sv. The queue of the order in which writes were asked for offers what it likes too.
module hpcc_short_fifo #(
  parameter integer WIDTH = 1,
  parameter integer ADDRESS = 1,
  parameter integer MARK = 1
) (
  input wire clk,
  input wire rst,
  input wire [WIDTH-1:0] up_data,
  input wire up_valid,
  output wire up_ready,
  output wire [WIDTH-1:0] down_data,
  output wire down_valid,
  input wire down_ready,
  output wire crowded
);
  hpcc_fifo #(.WIDTH(WIDTH), .ADDRESS(ADDRESS), .MARK(MARK)) any (
    .clk(clk), .rst(rst), .up_data(up_data), .up_valid(up_valid), .up_ready(up_ready),
    .down_data(down_data), .down_valid(down_valid), .down_ready(down_ready), .crowded(crowded)
  );
endmodule

module commit_proof (
  input wire clk,
  input wire rst,
  input wire context_valid,
  input wire [7:0] context_qp,
  input wire hpcc_nic_pkg::commit_entry_t up_data,
  input wire up_valid,
  input wire written_data,
  input wire written_valid,
  input wire response_ready,
  input wire answer_ready
);
  localparam W = 422; // a commit_t
  localparam HEAD = 86; // a commit_head_t
  wire up_ready, written_ready, response_valid, answer_valid, fail_valid;
  wire hpcc_nic_pkg::commit_t response_data, answer_data;
  hpcc_commit_stage dut (
    .clk(clk), .rst(rst), .context_valid(context_valid), .context_qp(context_qp), .up_data(up_data), .up_valid(up_valid), .up_ready(up_ready),
    .written_data(written_data), .written_valid(written_valid), .written_ready(written_ready),
    .response_data(response_data), .response_valid(response_valid), .response_ready(response_ready),
    .answer_data(answer_data), .answer_valid(answer_valid), .answer_ready(answer_ready), .fail_valid(fail_valid)
  );
  // signals of the block, joined by the script of commit.sby
  wire full, full_1, done, swallowed;
  wire hpcc_nic_pkg::commit_turn_t entry, entry_1;
  wire full_r, spare_full_r, ready_r;
  // its queues: of requests, of answers, and whether the next write belongs to an answer
  wire of_requests_push, of_answers_push, order_push, order_in;
  wire request_valid, request_taken, waiting_valid, waiting_taken, order_valid, order_taken, of_answer;
  wire hpcc_nic_pkg::commit_turn_t waiting;
  // and the INT of both
  wire request_int_push, answer_int_push, request_int_valid, answer_int_valid, request_int_ready, answer_int_ready;
  wire [335:0] request_int_in, answer_int_in, request_int, answer_int;
  wire hpcc_nic_pkg::commit_turn_t request_in, answer_in;

  wire take = up_valid && up_ready, token = written_valid && written_ready;
  wire is_answer = up_data.commit.kind == hpcc_nic_pkg::COMMIT_KIND_ANSWER;
  stream_rules #(.W(W)) response (
    .clk(clk), .rst(rst), .valid(response_valid), .ready(response_ready), .data(response_data)
  );
  stream_rules #(.W(W)) answer (
    .clk(clk), .rst(rst), .valid(answer_valid), .ready(answer_ready), .data(answer_data)
  );

  wire waits = entry.waits;
  // an answer leaves its queue, and its write is done
  wire answers = waiting_valid && waiting_taken;
  reg answer_there = 0, behind_failure = 0, fails = 0;
  hpcc_nic_pkg::commit_head_t answer_due;
  // entries that are to leave, and those of them that send something
  reg [1:0] leaving = 0, responses = 0;
  wire sends = entry.commit.kind != hpcc_nic_pkg::COMMIT_KIND_NOTHING || (waits && written_data);
  wire hpcc_nic_pkg::commit_head_t outgoing, spare;
  wire goes_out = full_r && (response_ready || !response_valid);
  always @(posedge clk) begin
    if (!answer_there || answer_ready) begin
      answer_there <= answers;
      answer_due <= waiting.commit;
      if (waiting.waits && written_data) answer_due.ends_or_failed <= 1;
    end
    leaving <= leaving + done - goes_out;
    responses <= responses + (done && !swallowed && sends) - (response_valid && response_ready);
    fails <= done && !swallowed && waits && written_data;
    behind_failure <= done && waits && written_data && full_1
      && {entry_1.commit.qp, entry_1.commit.generation} == {entry.commit.qp, entry.commit.generation};
    if (rst) begin
      answer_there <= 0;
      behind_failure <= 0;
      leaving <= 0;
      responses <= 0;
      fails <= 0;
    end
  end
  // what commit_int.sby proves of two queues that are fed alike
  always @(posedge clk) begin
    int_of_answer_there: assume (!answer_valid || answer_int_valid);
    int_of_request_there: assume (!full_r || request_int_valid);
  end
  always @(posedge clk) if (!rst) begin
    // an entry goes into the queue of its kind, and the write that it waits for is noted with whose it is
    to_its_queue: assert (of_requests_push == (take && !is_answer) && of_answers_push == (take && is_answer));
    int_beside_it: assert (request_int_push == of_requests_push && answer_int_push == of_answers_push);
    nothing_is_changed: assert (!take || (is_answer ? answer_in : request_in) == {up_data.waits, up_data.commit[HEAD-1:0]});
    nor_its_int: assert (!take || (is_answer ? answer_int_in : request_int_in) == up_data.commit.int_stack);
    // INT is taken once for every entry that leaves
    int_of_answer: assert ((answer_int_valid && answer_int_ready) == (answer_valid && answer_ready));
    int_of_request: assert ((request_int_valid && request_int_ready) == goes_out);
    noted: assert (order_push == (take && up_data.waits) && (!order_push || order_in == is_answer));
    // a result of a write is taken exactly when the entry that waits for it goes, and it is one of its kind
    token_with_entry: assert (token == ((done && waits) || (answers && waiting.waits)));
    token_of_its_kind: assert (!token || (order_valid && order_taken && of_answer == (answers && waiting.waits)));
    one_for_one: assert (!token || (done && waits) != (answers && waiting.waits));
    noted_until_taken: assert (!(order_valid && order_taken) || token);
    goes_once: assert (!done || full);
    // answers leave one by one as they came, and say if their write failed
    answer_leaves: assert (answer_valid == answer_there);
    answer_is_whole: assert (!answer_valid || answer_data == {answer_int, answer_due});
    response_is_whole: assert (!response_valid || response_data == {request_int, outgoing});
    // a response for every entry that asks for one or has failed and whose queue pair had not failed before, and for no other
    response_count: assert (responses == (full_r && outgoing.kind != hpcc_nic_pkg::COMMIT_KIND_NOTHING) + (spare_full_r && spare.kind != hpcc_nic_pkg::COMMIT_KIND_NOTHING));
    response_leaves: assert (response_valid == (full_r && outgoing.kind != hpcc_nic_pkg::COMMIT_KIND_NOTHING));
    leaves_once: assert (leaving == full_r + spare_full_r);
    // no deadlock: with room at its exit an entry goes once its write is done, whatever the other kind waits for
    goes: assert (!(full && ready_r && (!waits || (written_valid && order_valid && !of_answer))) || done);
    answer_goes: assert (!(waiting_valid && answer_ready && (!waiting.waits || (written_valid && order_valid && of_answer))) || answers);
    enters_when_empty: assert (full || !request_valid || request_taken);
    // the entry right behind a failed one of its queue pair and generation, which no memory can tell of yet
    swallowed_behind_failure: assert (!behind_failure || swallowed);
    // software hears of a failed queue pair once
    fail_told: assert (fail_valid == fails);
  end
  always @(posedge clk) if (!rst) begin
    skid_r: assert ((!spare_full_r || full_r) && !(ready_r && spare_full_r));
  end
  always @(posedge clk) if (!rst) begin
    failed_answer: cover (answer_valid && answer_ready && answer_data.ends_or_failed);
    waits_for_write: cover (full && waits && !written_valid && response_valid);
    passes_an_answer: cover (done && waiting_valid && waiting.waits && !waiting_taken);
    passes_a_request: cover (answers && full && waits && !done);
    response_beside_answer: cover (response_valid && answer_valid);
    swallowed_after_failure: cover (done && swallowed && entry.commit.kind == hpcc_nic_pkg::COMMIT_KIND_ACKNOWLEDGE);
  end
endmodule

`default_nettype wire
