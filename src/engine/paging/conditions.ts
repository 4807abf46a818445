import { hasUnsupportedCharacter } from '../json/index.ts';

/**
 * The `where` of a list whose filters vary: terms with their parameters. Only the text of terms
 * written here reaches the statement; values travel as parameters.
 */
export class Conditions {
  readonly values: unknown[] = [];
  readonly #terms: string[] = [];
  #impossible = false;

  /** Adds a parameter; what stands for it in the text. */
  parameter(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  add(term: string): void {
    this.#terms.push(term);
  }

  /** `column = value`, unless there is no value to compare with. */
  equal(column: string, value: string | null | undefined): void {
    if (value === null || value === undefined) return;
    // PostgreSQL refuses U+0000, and no stored name holds one.
    if (hasUnsupportedCharacter(value)) this.excludeAll();
    else this.add(`${column} = ${this.parameter(value)}`);
  }

  /** Notes that no row can match. */
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
