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

// A commit without its mark of an end or a failure, the one field that the stage may change in an answer.
module unmarked (
  input wire hpcc_nic_pkg::commit_t whole,
  output wire hpcc_nic_pkg::commit_t rest
);
  hpcc_nic_pkg::commit_t copy;
  always @* begin
    copy = whole;
    copy.ends_or_failed = 0;
  end
  assign rest = copy;
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
  localparam W = 421; // a commit_t
  wire up_ready, written_ready, response_valid, answer_valid, fail_valid;
  wire hpcc_nic_pkg::commit_t response_data, answer_data;
  hpcc_transport_commit_stage dut (
    .clk(clk), .rst(rst), .context_valid(context_valid), .context_qp(context_qp), .up_data(up_data), .up_valid(up_valid), .up_ready(up_ready),
    .written_data(written_data), .written_valid(written_valid), .written_ready(written_ready),
    .response_data(response_data), .response_valid(response_valid), .response_ready(response_ready),
    .answer_data(answer_data), .answer_valid(answer_valid), .answer_ready(answer_ready), .fail_valid(fail_valid)
  );
  // signals of the block, joined by the script of commit.sby
  wire full, full_1, done, swallowed;
  wire hpcc_nic_pkg::commit_entry_t entry, entry_1;
  wire full_r, spare_full_r, ready_r, full_a, spare_full_a, ready_a;
  wire hpcc_nic_pkg::commit_t item_a, spare_a;

  wire take = up_valid && up_ready, token = written_valid && written_ready;
  wire pop = answer_valid && answer_ready;
  wire [3:0] held, ahead;
  wire tracked;
  wire [W:0] kept;
  // answers, from the entrance to the exit; the top bit of what is kept says that a write is waited for
  wire enters = take && up_data.commit.kind == hpcc_nic_pkg::COMMIT_KIND_ANSWER;
  wire hpcc_nic_pkg::commit_t entering, leaving, in_entry, in_entry_1, in_item, in_spare;
  unmarked u_entering (.whole(up_data.commit), .rest(entering));
  unmarked u_leaving (.whole(answer_data), .rest(leaving));
  unmarked u_entry (.whole(entry.commit), .rest(in_entry));
  unmarked u_entry_1 (.whole(entry_1.commit), .rest(in_entry_1));
  unmarked u_item (.whole(item_a), .rest(in_item));
  unmarked u_spare (.whole(spare_a), .rest(in_spare));
  stream_token #(.W(W + 1), .N(4), .ROOM(4)) answers (
    .clk(clk), .rst(rst), .push(enters), .in({up_data.waits, entering}),
    .pop(pop), .out({kept[W], leaving}), .held(held), .tracked(tracked), .ahead(ahead), .kept(kept)
  );
  stream_rules #(.W(W)) response (
    .clk(clk), .rst(rst), .valid(response_valid), .ready(response_ready), .data(response_data)
  );
  stream_rules #(.W(W)) answer (
    .clk(clk), .rst(rst), .valid(answer_valid), .ready(answer_ready), .data(answer_data)
  );

  wire waits = entry.waits, is_answer = entry.commit.kind == hpcc_nic_pkg::COMMIT_KIND_ANSWER;
  wire in_stage = full && is_answer, in_front = full_1 && entry_1.commit.kind == hpcc_nic_pkg::COMMIT_KIND_ANSWER;
  wire [1:0] in_skid = full_a + spare_full_a;
  // the tracked answer is the one in the stage
  wire here = tracked && in_stage && ahead == in_skid;
  // or the one that waits in front of it
  wire next = tracked && in_front && ahead == in_skid + in_stage;
  reg behind_failure = 0;
  reg written = 0, failed = 0, fails = 0;
  reg [1:0] responses = 0;
  always @(posedge clk) begin
    if (enters && !tracked) written <= 0;
    else if (here && token) begin
      written <= 1;
      failed <= written_data;
    end
    responses <= responses + (done && !is_answer && !swallowed && (entry.commit.kind != hpcc_nic_pkg::COMMIT_KIND_NOTHING || (waits && written_data)))
      - (response_valid && response_ready);
    fails <= done && !is_answer && !swallowed && waits && written_data;
    behind_failure <= done && !is_answer && waits && written_data && full_1
      && {entry_1.commit.qp, entry_1.commit.generation} == {entry.commit.qp, entry.commit.generation};
    if (rst) begin
      behind_failure <= 0;
      responses <= 0;
      fails <= 0;
    end
  end
  always @(posedge clk) if (!rst) begin
    // a result of a write is taken exactly when the entry that waits for it goes
    token_with_entry: assert (token == (done && waits));
    goes_once: assert (!done || full);
    // commit order: no answer leaves before its write is done, and it says if that failed
    not_before_written: assert (!(pop && tracked && ahead == 0 && kept[W]) || written);
    says_failed: assert (!(pop && tracked && ahead == 0 && kept[W]) || !failed || answer_data.ends_or_failed);
    // a response for every entry that asks for one or has failed and whose queue pair had not failed before, and for no other
    response_count: assert (responses == full_r + spare_full_r);
    // no deadlock: with room at both exits an entry goes once its write is done
    goes: assert (!(full && ready_r && ready_a && (!waits || written_valid)) || done);
    enters_when_empty: assert (full || up_ready);
    // the entry right behind a failed one of its queue pair and generation, which no memory can tell of yet
    swallowed_behind_failure: assert (!behind_failure || swallowed);
    // software hears of a failed queue pair once
    fail_told: assert (fail_valid == fails);
  end
  always @(posedge clk) if (!rst) begin
    // what is inside is in the stage's two registers or in the two behind it
    count: assert (held == in_front + in_stage + in_skid);
    skid_a: assert ((!spare_full_a || full_a) && !(ready_a && spare_full_a));
    skid_r: assert ((!spare_full_r || full_r) && !(ready_r && spare_full_r));
    token_here: assert (!here || (in_entry == kept[W-1:0] && waits == kept[W]));
    token_next: assert (!next || (in_entry_1 == kept[W-1:0] && entry_1.waits == kept[W]));
    token_item: assert (!(tracked && ahead == 0 && in_skid != 0) || in_item == kept[W-1:0]);
    token_spare: assert (!(tracked && ahead == 1 && in_skid == 2) || in_spare == kept[W-1:0]);
    written_item: assert (!(tracked && ahead == 0 && in_skid != 0 && kept[W]) || (written && (!failed || item_a.ends_or_failed)));
    written_spare: assert (!(tracked && ahead == 1 && in_skid == 2 && kept[W]) || (written && (!failed || spare_a.ends_or_failed)));
  end
  always @(posedge clk) if (!rst) begin
    failed_answer: cover (pop && tracked && ahead == 0 && kept[W] && failed);
    waits_for_write: cover (full && waits && !written_valid && response_valid);
    response_beside_answer: cover (response_valid && answer_valid);
    swallowed_after_failure: cover (done && swallowed && entry.commit.kind == hpcc_nic_pkg::COMMIT_KIND_ACKNOWLEDGE);
  end
endmodule

`default_nettype wire
