/** A place where a test can stop the process: before or after a writing statement, by its name. */
export type FailPoint = `${string}:${'before' | 'after'}`;

export type FailPointHandler = (point: FailPoint) => void | Promise<void>;

let handler: FailPointHandler | undefined;

/** Sets the handler of fail-points. Tests use it to kill, stop, throw or count. */
export function onFailPoint(next: FailPointHandler | undefined): void {
  handler = next;
}

/** Marks a fail-point. Returns undefined unless a test listens. */
export function failPoint(point: FailPoint): void | Promise<void> {
  if (handler) return handler(point);
}

/** Parses `commitPasses:after:3`: SIGKILL at the third time that this point is reached. */
export function dieAt(spec: string): FailPointHandler {
  const [name, when, count = '1'] = spec.split(':');
  let left = Number(count);
  return (point) => {
    if (point === `${name}:${when}` && --left === 0) process.kill(process.pid, 'SIGKILL');
  };
}
