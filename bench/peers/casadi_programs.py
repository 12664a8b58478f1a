"""The small scalar workloads in CasADi: f64, by its buffer interface, on fixed buffers."""
import casadi as ca
import numpy as np

VERSION = "casadi " + ca.__version__


def lotka():
    p, u, h = ca.SX.sym("p", 4), ca.SX.sym("u", 2), 0.01

    def field(u):
        return ca.vertcat(p[0] * u[0] - p[1] * u[0] * u[1], -p[2] * u[1] + p[3] * u[0] * u[1])

    k1 = field(u)
    k2 = field(u + h / 2 * k1)
    k3 = field(u + h / 2 * k2)
    k4 = field(u + h * k3)
    step = ca.Function("step", [u, p], [u + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)])
    whole = ca.MX.sym("p", 4)
    path = step.mapaccum(1000)(ca.DM.ones(2), ca.repmat(whole, 1, 1000))
    return whole, ca.sum1(path[:, -1])


def rosenbrock():
    x = ca.MX.sym("x", 1000)
    return x, ca.sum1(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def sum_of_squares():
    x = ca.MX.sym("x", 4)
    return x, ca.sumsqr(x)


def unrolled(n):
    def f():
        x = y = ca.MX.sym("x", 64)
        for _ in range(n // 4):
            y = ca.sin(y) * 1.01 - y * y * 1e-3
        return x, ca.sum1(y)

    return f


def shared():
    x = y = ca.MX.sym("x", 64)
    for _ in range(60 // 4):
        y = y * 1.0001 + 0.1 * y[::-1] - y * y * 1e-3
    return x, ca.sum1(y)


PROGRAMS = {
    "lotka_rk4_1000": lotka,
    "lotka_rk4_1000_f64": lotka,
    "rosenbrock_1000": rosenbrock,
    "call_sumsq_4": sum_of_squares,
    "unrolled_100": unrolled(100),
    "unrolled_1000": unrolled(1000),
    "unrolled_4000": unrolled(4000),
    "unrolled_shared_60": shared,
}


def bound(function, arrays):
    """The function's evaluation on these buffers: its inputs and then its outputs."""
    buffer, evaluate = function.buffer()
    n_in = function.n_in()
    for i, a in enumerate(arrays):
        if i < n_in:
            buffer.set_arg(i, memoryview(a))
        else:
            buffer.set_res(i - n_in, memoryview(a))

    def run(keep=(buffer, arrays)):  # CasADi does not own the buffers
        evaluate()
        return keep[1][n_in:]

    return run


def arguments(arrays):
    return [np.array(a, np.float64) for a in arrays]


def prepare(name, mode, n_wrt, arguments):
    del n_wrt
    x, y = PROGRAMS[name]()
    outputs = [y] if mode == "value" else [y, ca.gradient(y, x)]
    f = ca.Function("f", [x], outputs)
    return bound(f, arguments + [np.zeros(o.shape[0]) for o in outputs])


def results(answer):
    return [np.array(a) for a in answer]
