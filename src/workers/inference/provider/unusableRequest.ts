/** A request that no send can fulfil. Its message quotes neither the prompt nor the key. */
export class UnusableRequest extends Error {
  override readonly name = 'UnusableRequest';
}
