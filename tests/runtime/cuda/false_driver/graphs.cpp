#include <tests/runtime/cuda/false_driver/state.h>

// Capture, and graphs.
extern "C" {

CUresult cuStreamBeginCapture_v2(CUstream stream, int) {
  ENTER("cuStreamBeginCapture");
  if (!stream) return capture_forbids;
  const std::lock_guard lock(stream->mutex);
  if (stream->capture) return capture_forbids;
  stream->capture = std::make_unique<CUgraph_st>();
  stream->has_capture_failed = false;
  captured = stream;
  return success;
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  *graph = nullptr;
  std::unique_ptr<CUgraph_st> made;
  {
    const std::lock_guard lock(stream->mutex);
    made = std::exchange(stream->capture, nullptr);  // also if the call fails
    captured = nullptr;
  }
  ENTER("cuStreamEndCapture");
  if (!made) return invalid_value;
  if (stream->has_capture_failed) return capture_failed;
  *graph = made.release();
  count(&FalseDriver::Live::graphs, 1);
  return success;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* graph, CUgraph of_graph, unsigned long long) {
  ENTER("cuGraphInstantiate");
  *graph = new CUgraphExec_st{*of_graph};
  count(&FalseDriver::Live::graphs, 1);
  return success;
}
CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  ENTER("cuGraphLaunch");
  ++state().graph_launches;
  for (const Work& work : *graph) of(stream).add(work);
  return success;
}
CUresult cuGraphExecDestroy(CUgraphExec graph) {
  ENTER("cuGraphExecDestroy");
  delete graph;
  count(&FalseDriver::Live::graphs, -1);
  return success;
}
CUresult cuGraphDestroy(CUgraph graph) {
  ENTER("cuGraphDestroy");
  delete graph;
  count(&FalseDriver::Live::graphs, -1);
  return success;
}

}  // extern "C"
