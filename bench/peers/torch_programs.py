"""The workloads in PyTorch, as its users write them; compiled ones if COMPILE is set."""
import os

import numpy as np
import torch
import torch.nn.functional as F

COMPILE = False
VERSION = "torch " + torch.__version__
torch.set_num_threads(int(os.environ.get("BENCH_THREADS", "1")))


def chain(x):
    return torch.tanh(x * 0.5) * torch.exp(-x * x) + torch.sqrt(x * x + 1.0) * torch.sigmoid(x)


def cheap(x, y):
    return (x * y + 2.0 * x - y) * 0.5 + x * x


def layernorm(x, scale, offset):
    return F.layer_norm(x, (x.shape[-1],), scale, offset)


def mlp(w1, b1, w2, b2, w3, b3, x, y):
    h = torch.relu(x @ w1 + b1)
    h = torch.relu(h @ w2 + b2)
    return F.cross_entropy(h @ w3 + b3, y)


def block(x, scale, offset, to_qkv, from_heads, to_hidden, from_hidden):
    b, t, d = x.shape
    heads = 4
    split = lambda a: a.reshape(b, t, heads, d // heads).transpose(1, 2)
    q, k, v = map(split, (layernorm(x, scale, offset) @ to_qkv).split(d, -1))
    s = q @ k.transpose(-1, -2) / float(np.sqrt(d // heads))
    s = torch.where(torch.tril(torch.ones(t, t, dtype=torch.bool)), s, torch.tensor(-1e9))
    o = (torch.softmax(s, -1) @ v).transpose(1, 2).reshape(b, t, d)
    x = x + o @ from_heads
    return x + F.gelu(layernorm(x, scale, offset) @ to_hidden, approximate="tanh") @ from_hidden


def transformer(table, *rest):
    *p, tokens, labels = rest
    x = table[tokens]
    for l in range(2):
        x = block(x, *p[6 * l:6 * l + 6])
    z = x @ table.T
    return F.cross_entropy(z.reshape(-1, z.shape[-1]), labels.reshape(-1))


def lotka(p):
    def field(u):
        return torch.stack([p[0] * u[0] - p[1] * u[0] * u[1], -p[2] * u[1] + p[3] * u[0] * u[1]])

    u = torch.ones(2, dtype=p.dtype)
    for _ in range(1000):
        h = 0.01
        k1 = field(u)
        k2 = field(u + h / 2 * k1)
        k3 = field(u + h / 2 * k2)
        k4 = field(u + h * k3)
        u = u + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return u.sum()


def rosenbrock(x):
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def unrolled(n):
    def f(x):
        for _ in range(n // 4):
            x = torch.sin(x) * 1.01 - x * x * 1e-3
        return x.sum()

    return f


def shared(x):
    for _ in range(60 // 4):
        x = x * 1.0001 + 0.1 * torch.flip(x, (0,)) - x * x * 1e-3
    return x.sum()


PROGRAMS = {
    "chain_4M": chain,
    "cheap_4M": cheap,
    "softmax_4096x1024": lambda x: torch.softmax(x, -1),
    "layernorm_4096x1024": layernorm,
    "logsumexp_4M": lambda x: torch.logsumexp(x, 0),
    "sum_axis0_2048": lambda x: x.sum(0),
    "sum_axis1_2048": lambda x: x.sum(1),
    "max_axis0_2048": lambda x: x.amax(0),
    "transpose_4096": lambda x: x.t().contiguous(),
    "permute021_256": lambda x: x.permute(0, 2, 1).contiguous(),
    "permute120_256": lambda x: x.permute(1, 2, 0).contiguous(),
    "embedding_50kx64_262144": lambda table, i: F.embedding(i, table),
    "take_along_4096x1024": lambda x, i: torch.gather(x, 1, i),
    "matmul_16": torch.matmul,
    "matmul_64": torch.matmul,
    "matmul_256": torch.matmul,
    "matmul_1024": torch.matmul,
    "matmul_512_tanh": lambda a, b: torch.tanh(a @ b).sum(),
    "bmm_4096x8x8": torch.matmul,
    "conv_32x16x32x32_k3_32": lambda x, w: F.conv2d(x, w, padding=1),
    "mlp_784_256_128_10_b128": mlp,
    "mlp_64_32_10_b32": mlp,
    "transformer_d64_l2_t64_b8": transformer,
    "lotka_rk4_1000": lotka,
    "lotka_rk4_1000_f64": lotka,
    "rosenbrock_1000": rosenbrock,
    "rosenbrock_1M": rosenbrock,
    "call_sumsq_4": lambda x: (x * x).sum(),
    "unrolled_100": unrolled(100),
    "unrolled_1000": unrolled(1000),
    "unrolled_4000": unrolled(4000),
    "unrolled_shared_60": shared,
}

# The compiler unrolls their loops of thousands of operations, which takes minutes.
TOO_LONG_TO_COMPILE = {"lotka_rk4_1000", "lotka_rk4_1000_f64", "unrolled_100", "unrolled_1000", "unrolled_4000"}


def forward_program(name):
    f = PROGRAMS[name]
    if not COMPILE:
        return f
    if name in TOO_LONG_TO_COMPILE:
        raise LookupError(name)
    torch._dynamo.reset()
    return torch.compile(f)



def derived(name, mode, n_wrt):
    if mode == "value":
        return forward_program(name)
    f = forward_program(name)
    if mode == "grad":
        def run(*a):
            a = [x.detach().requires_grad_(True) if i < n_wrt else x for i, x in enumerate(a)]
            y = f(*a)
            y = y if y.dim() == 0 else y.sum()
            return (y.detach(), *torch.autograd.grad(y, a[:n_wrt]))
    else:
        def run(*a):
            *x, cotangent = a
            x = [t.detach().requires_grad_(True) if i < n_wrt else t for i, t in enumerate(x)]
            return torch.autograd.grad(f(*x), x[:n_wrt], cotangent)
    return run


def argument(a):
    t = torch.from_numpy(np.ascontiguousarray(a))
    return t if t.is_floating_point() else t.long()  # gather and cross_entropy take no other indices


def arguments(arrays):
    return [argument(a) for a in arrays]


def prepare(name, mode, n_wrt, arguments):
    f = derived(name, mode, n_wrt)
    return lambda: f(*arguments)


def results(answer):
    return [a.numpy() for a in (answer if isinstance(answer, tuple) else (answer,))]
