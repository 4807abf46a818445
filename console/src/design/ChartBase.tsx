import { type ReactNode, type RefObject, useEffect, useRef, useSyncExternalStore } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartMark, ChartProps } from './Chart.tsx';
import { axisLabels, type ChartColumns, stacked } from './chartData.ts';
import { usePreferences } from './preferences.ts';

interface BaseProps extends ChartProps {
  marks: readonly ChartMark[];
  /** The index of the bucket under the pointer. */
  onPoint: (index: number | undefined) => void;
}

const height = 200;

/** The canvas of `Chart.tsx`, loaded with the first chart. */
export default function ChartBase(props: BaseProps): ReactNode {
  const { columns, kind = 'bars' } = props;
  const { theme, zone } = usePreferences();
  const isDark = useSyncExternalStore(onScheme, () => darkScheme.matches);
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const series = props.series.map(({ key, tone }) => `${key} ${tone}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of these needs another canvas.
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const plot = new UPlot(optionsOf(element, latest, zone), dataOf(latest.current.columns, kind), element);
    chart.current = plot;
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [theme, isDark, zone, kind, series]);
  useEffect(() => chart.current?.setData(dataOf(columns, kind)), [columns, kind]);
  return <div ref={box} />;
}

const darkScheme = matchMedia('(prefers-color-scheme: dark)');

function onScheme(listener: () => void): () => void {
  darkScheme.addEventListener('change', listener);
  return () => darkScheme.removeEventListener('change', listener);
}

/** Bars are drawn from the top of the stack down, each over the one before. */
const dataOf = (columns: ChartColumns, kind: 'bars' | 'lines'): UPlot.AlignedData =>
  kind === 'bars' ? [columns.times, ...stacked(columns).values.reverse()] : [columns.times, ...columns.values];

function optionsOf(element: HTMLElement, latest: RefObject<BaseProps>, zone: 'local' | 'utc'): UPlot.Options {
  const { kind = 'bars', valueText } = latest.current;
  const {
    color: ink,
    borderTopColor: line,
    backgroundColor: surface,
  } = getComputedStyle(element.parentElement ?? element);
  const colours = coloursOf(element);
  const font = `12px ${getComputedStyle(element).fontFamily}`;
  const axis = { stroke: ink, font, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 4 } };
  const bars = UPlot.paths.bars?.({ size: [0.88, 48], align: 1 });
  const look = (colour: string): UPlot.Series =>
    kind === 'bars' && bars
      ? { fill: colour, stroke: surface, width: 0.5, paths: bars, points: { show: false } }
      : { stroke: colour, width: 1.75, points: { show: false } };
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false }, dataIdx: bucketAt },
    tzDate: (seconds) =>
      zone === 'utc' ? UPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC') : new Date(seconds * 1000),
    scales: {
      x: { range: (plot, from, to) => [from, to + (kind === 'bars' ? bucketOf(plot) : 0)] },
      y: { range: (_plot, _from, to) => [0, to > 0 ? to * 1.08 : 1] },
    },
    axes: [
      { ...axis, grid: { show: false }, space: spaceOf, values: (_plot, splits) => axisLabels(splits, zone) },
      { ...axis, size: 62, values: (_plot, splits) => splits.map((split) => valueText(split)) },
    ],
    series: [{}, ...(kind === 'bars' ? colours.reverse() : colours).map(look)],
    hooks: {
      setCursor: [({ cursor }) => latest.current.onPoint(cursor.idxs?.[1] ?? undefined)],
      draw: [(plot) => drawMarks(plot, latest.current.marks, ink)],
    },
  };
}

/** The canvas knows no custom properties: the keys of the series resolve them. */
const coloursOf = (element: HTMLElement): string[] =>
  [...(element.closest('figure')?.querySelectorAll('[data-colour]') ?? [])].map(
    (key) => getComputedStyle(key).backgroundColor,
  );

/** Labels of a short time have seconds. */
const spaceOf = (_plot: UPlot, _axis: number, from: number, to: number): number => (to - from < 600 ? 76 : 50);

const bucketOf = ({ data: [times] }: UPlot): number => (times[1] ?? 0) - (times[0] ?? 0) || 3_600;

/** The bucket that holds an instant; uPlot names the one whose start is nearest. */
function bucketAt(plot: UPlot, _series: number, nearest: number, at: number): number {
  const start = plot.data[0][nearest] ?? 0;
  return start > at ? Math.max(0, nearest - 1) : nearest;
}

function drawMarks(plot: UPlot, marks: readonly ChartMark[], colour: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.setLineDash([4, 4]);
  for (const { at } of marks) {
    const x = Math.round(plot.valToPos(at / 1000, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}
