"""A complete runner, by docs/runner-protocol.md. Its handlers take one step after another."""

import asyncio, hashlib, itertools, json, os, random

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

FINAL = {400, 401, 403, 404, 4400, 4401, 4403, 4409, 4410, 4413}  # answers to a handshake, and close codes


class Parked(BaseException):
    """Leaves a handler that cannot continue in this pass. Handlers catch `Exception` only."""


class StepError(Exception):
    def __init__(self, step_id, message):
        super().__init__(message)
        self.step_id = step_id


class Steps:
    """The steps of one pass. A recorded one returns or raises; any other one ends the pass."""

    def __init__(self, memo):
        self.memo, self.names, self.reached, self.opcodes = memo, set(), 0, []

    def run(self, name, body):
        return self._take(name, "StepRun", lambda: outcome(body))

    def sleep(self, name, seconds):
        return self._take(name, "Sleep", lambda: {"sleepMs": round(seconds * 1000)})

    def wait_for_event(self, name, event, timeout):
        return self._take(name, "WaitForEvent", lambda: {"eventName": event, "timeoutMs": round(timeout * 1000)})

    def _take(self, name, op, fields):
        uses = itertools.chain([name], (f"{name}:{use}" for use in itertools.count(1)))
        name = next(use for use in uses if use not in self.names)
        self.names.add(name)
        step_id = hashlib.sha256(name.encode()).hexdigest()
        entry = self.memo.get(step_id)
        if entry is None:
            self.opcodes.append({"op": op, "id": step_id, "name": name, **fields()})
        self.reached += entry is not None
        if entry is None or "pending" in entry:
            raise Parked
        if "error" in entry:
            raise StepError(step_id, entry["error"]["message"])
        return entry["data"]


def outcome(body):
    try:
        return {"data": json.loads(json.dumps(body(), allow_nan=False))}
    except Exception as error:
        step_id = getattr(error, "step_id", None)
        return {"error": {"message": str(error), "name": type(error).__name__, "stepId": step_id}}


def answer(request, handlers):
    """Runs one pass. Returns the status and the body of its answer."""
    name, steps = request["ctx"]["workflow"], Steps(request["steps"])
    if name not in handlers:
        return 404, {"error": "this runner has no such workflow"}
    try:
        body = outcome(lambda: handlers[name](request["event"], steps))
        return 500 if "error" in body else 200, {**body, "logs": []}
    except Parked:
        reached = {"reached": steps.reached} if request["steps"] else {}
        return 206, {"opcodes": steps.opcodes, **reached, "logs": []}


async def session(socket, hello, handlers):
    async def execute(frame):
        status, body = await asyncio.to_thread(answer, frame["request"], handlers)
        await socket.send(json.dumps({"type": "result", "id": frame["id"], "status": status, "body": body}))
    await socket.send(json.dumps({"type": "hello", "protocolVersion": 1, **hello}))
    passes = set()
    async for text in socket:
        frame = json.loads(text)
        if frame["type"] == "ping":
            await socket.send(json.dumps({"type": "pong"}))
        elif frame["type"] == "invoke":
            passes = {asyncio.create_task(execute(frame)), *(each for each in passes if not each.done())}
        elif frame["type"] == "drain":
            break
        elif frame["type"] in ("ready", "error"):
            print(text, flush=True)
    await asyncio.gather(*passes, return_exceptions=True)


async def serve(hello, handlers):
    """Dials again whenever the connection is lost. Raises if the service refuses this runner."""
    url = os.environ.get("HOLDFAST_URL", "http://127.0.0.1:4400").replace("http", "ws", 1) + "/connect"
    headers, pause = {"Authorization": f"Bearer {os.environ['HOLDFAST_API_KEY']}"}, 0.5
    options = {"additional_headers": headers, "compression": None, "max_size": None, "ping_interval": None}
    while True:
        try:
            async with connect(url, **options) as socket:
                pause = 0.5
                await session(socket, hello, handlers)
        except (InvalidStatus, ConnectionClosed, OSError) as lost:
            end = getattr(lost, "rcvd", None) or getattr(lost, "response", None)
            if getattr(end, "code", getattr(end, "status_code", 0)) in FINAL:
                raise
        await asyncio.sleep(random.uniform(pause / 2, pause))
        pause = min(2 * pause, 30)


def order(event, steps):
    charge = steps.run("charge", lambda: {"cents": event["data"]["cents"]})
    steps.sleep("cool down", 0.2)
    settled = steps.wait_for_event("settled", "order.settled", timeout=3600)
    return {**charge, "by": settled and settled["data"]["by"]}


if __name__ == "__main__":
    workflows = [{"name": "order", "triggers": [{"event": "order.placed"}], "retry": {"maxAttempts": 3}}]
    asyncio.run(serve({"app": "python", "workflows": workflows}, {"order": order}))
