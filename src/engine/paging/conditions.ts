import { hasUnsupportedCharacter } from '../json/index.ts';

/**
 * The `where` of a list with varying filters: terms and their parameters. Only constant text enters
 * the statement, and values travel as parameters.
 */
export class Conditions {
  readonly values: unknown[] = [];
  readonly #terms: string[] = [];
  #impossible = false;

  /** Adds a parameter, and returns its number in the text. */
  parameter(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  add(term: string): void {
    this.#terms.push(term);
  }

  /** Adds `column = value`, unless the value is absent. */
  equal(column: string, value: string | null | undefined): void {
    if (value === null || value === undefined) return;
    // PostgreSQL refuses U+0000, and no stored name contains it.
    if (hasUnsupportedCharacter(value)) this.excludeAll();
    else this.add(`${column} = ${this.parameter(value)}`);
  }

  /** Makes the list empty. */
  excludeAll(): void {
    this.#impossible = true;
  }

  get impossible(): boolean {
    return this.#impossible;
  }

  get text(): string {
    return this.#terms.join(' and ');
  }
}
