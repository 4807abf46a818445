/** A signal from a handler to a test, or back. */
export class Sign {
  give = (): void => {};
  readonly given = new Promise<void>((resolve) => {
    this.give = resolve;
  });
}
