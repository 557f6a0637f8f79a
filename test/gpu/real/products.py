"""A program for PyTorch: products of matrices, an optimiser's steps, and copies. With an argument, PyTorch's own profiler
watches it, and its trace is written to that file."""
import contextlib
import sys

import torch


def work():
    torch.manual_seed(1)
    a = torch.randn(2048, 2048, device="cuda")
    model = torch.nn.Sequential(torch.nn.Linear(512, 1024), torch.nn.GELU(), torch.nn.Linear(1024, 512)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    host = torch.randn(512, 512)
    for _ in range(20):
        a = torch.tanh(a @ a * 0.01)
        batch = host.to("cuda")
        loss = (model(batch) - batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{loss.item():.3f} {a.abs().mean().item():.3f}")


trace = sys.argv[1] if len(sys.argv) > 1 else None
activities = [torch.profiler.ProfilerActivity.CUDA]
profiler = torch.profiler.profile(activities=activities) if trace else contextlib.nullcontext()
torch.cuda.init()
with profiler:
    work()
    torch.cuda.synchronize()
if trace:
    profiler.export_chrome_trace(trace)
