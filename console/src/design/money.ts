/** Dollars as `$0.0042`, `$12.40`, `$1,240`: as many digits as tell amounts apart. */
export function dollarText(dollars: number): string {
  if (dollars === 0) return '$0';
  if (dollars < 0.1) return `$${dollars.toFixed(Math.min(8, 1 + Math.ceil(-Math.log10(dollars))))}`;
  return `$${dollars.toLocaleString('en-US', fraction(dollars >= 1_000 ? 0 : dollars < 1 ? 3 : 2))}`;
}

const fraction = (digits: number): Intl.NumberFormatOptions => ({
  minimumFractionDigits: digits,
  maximumFractionDigits: digits,
});

export interface Spend {
  cost: number | null;
  calls: number;
}

/**
 * A cost in words. Calls without a price never count as 0: with some of them the sum is `at least`,
 * and a cost that is wholly unknown is `no price`.
 */
export function costText({ cost, calls }: Spend, unpriced = 0): string {
  if (calls === 0) return '–';
  if (cost === null) return 'no price';
  return unpriced > 0 ? `at least ${dollarText(cost)}` : dollarText(cost);
}

/** Calls of models without any price: their cost is missing in sums. */
export const unpricedCalls = (models: readonly Spend[]): number =>
  models.filter(({ cost }) => cost === null).reduce((sum, { calls }) => sum + calls, 0);

/** A share as `4.2 %`; nothing of nothing is `–`. */
export function shareText(part: number, whole: number): string {
  if (whole === 0) return '–';
  const percent = (100 * part) / whole;
  return `${percent === 0 || percent >= 10 ? Math.round(percent) : percent.toFixed(1)} %`;
}
