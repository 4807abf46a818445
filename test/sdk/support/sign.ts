/** Something that a test waits for, and that a handler gives. */
export class Sign {
  give = (): void => {};
  readonly given = new Promise<void>((resolve) => {
    this.give = resolve;
  });
}
