/**
 * Named places at which a test may let the process die: before and after every write, named by the
 * statement.
 */
export type FailPoint = `${string}:${'before' | 'after'}`;

export type FailPointHandler = (point: FailPoint) => void | Promise<void>;

let handler: FailPointHandler | undefined;

/**
 * Sets what happens at fail-points: tests use it to die, to stop, to throw or to count. Undefined:
 * nothing.
 */
export function onFailPoint(next: FailPointHandler | undefined): void {
  handler = next;
}

/** Marks a place. Undefined (nothing to wait for) unless a test listens. */
export function failPoint(point: FailPoint): void | Promise<void> {
  if (handler) return handler(point);
}

/** Reads `commitPasses:after:3`: die by SIGKILL the third time that this point is reached. */
export function dieAt(spec: string): FailPointHandler {
  const [name, when, count = '1'] = spec.split(':');
  let left = Number(count);
  return (point) => {
    if (point === `${name}:${when}` && --left === 0) process.kill(process.pid, 'SIGKILL');
  };
}
