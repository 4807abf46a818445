/** A URI template of level 1 (RFC 6570): `{name}` stands for one encoded value. */
export class UriTemplate {
  readonly text: string;
  readonly names: readonly string[];
  readonly #pattern: RegExp;

  /** With `takesSlashes`, the last value may hold slashes that are not encoded. */
  constructor(text: string, { takesSlashes = false }: { takesSlashes?: boolean } = {}) {
    this.text = text;
    this.names = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const source = text
      .replace(/[.*+?^$()|[\]\\/]/g, '\\$&')
      .replace(/\{\w+\}/g, takesSlashes ? '([^?#]+)' : '([^/?#]+)');
    this.#pattern = new RegExp(`^${source}$`);
  }

  /** The values that a URI has in the places of the names; undefined if it has another form. */
  match(uri: string): Record<string, string> | undefined {
    const found = this.#pattern.exec(uri);
    if (!found) return undefined;
    try {
      return Object.fromEntries(this.names.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? '')]));
    } catch {
      return undefined;
    }
  }
}
