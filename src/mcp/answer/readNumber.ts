/**
 * A number of JSON text, or its source where a double cannot hold it (20 digits, `1e400`, `-0`).
 */
export function readNumber(source: string): number | string {
  const number = Number(source);
  if (source.length <= 15 && plain.test(source)) return number;
  return Number.isFinite(number) && normalized(source) === normalized(String(number)) ? number : source;
}

const plain = /^(0|-?[1-9]\d*)$/;
const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Sign, digits without outer zeros, and exponent: equal for equal numbers. */
function normalized(source: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts.exec(source) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  const power = kept === '' ? 0 : Number(exponent) - fraction.length + digits.length - kept.length;
  return `${sign}${kept}e${power}`;
}
