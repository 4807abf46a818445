/** Pieces that are joined at once. A text per piece would take ten times the memory. */
const joinedAt = 64;

/** A text that comes in many small pieces. */
export class TextPieces {
  #joined: string[] = [];
  #pieces: string[] = [];

  add(piece: string): void {
    if (piece === '') return;
    this.#pieces.push(piece);
    if (this.#pieces.length < joinedAt) return;
    this.#joined.push(this.#pieces.join(''));
    this.#pieces = [];
    // The joined texts are pieces in their turn.
    if (this.#joined.length >= joinedAt) this.#joined = [this.#joined.join('')];
  }

  toString(): string {
    return [...this.#joined, ...this.#pieces].join('');
  }
}
