import { percentile, round } from '../stats.ts';

/** A figure beside the most that it may be. */
export interface Bar {
  name: string;
  figure: number;
  /** The highest figure with which the bar holds. */
  most: number;
  unit: string;
  /** The figure is to be at least `most`, as shares are. */
  isLeast?: boolean;
  /** The figure of a control page, measured next to this one on the same machine. */
  control?: number;
}

export const holds = ({ figure, most, isLeast = false }: Bar): boolean => (isLeast ? figure >= most : figure <= most);

/** The bar as a line of the report. */
export function line(bar: Bar): string {
  const { name, figure, most, unit, isLeast = false, control } = bar;
  const limit = `${isLeast ? 'at least' : 'at most'} ${most} ${unit}`;
  const beside = control === undefined ? '' : `; control: ${round(control, 1)} ${unit}`;
  return `${holds(bar) ? 'holds ' : 'MISSED'}  ${name.padEnd(52)} ${`${round(figure, 1)} ${unit}`.padEnd(14)} ${limit}${beside}`;
}

/** The median, which one disturbance of the machine does not change. */
export const middle = (values: readonly number[]): number => percentile(values, 50);
