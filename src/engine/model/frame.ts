export const frameKinds = ['run_status', 'step_status', 'log'] as const;

export type FrameKind = (typeof frameKinds)[number];

/** One entry of a run's journal (4.5): `seq` counts 1..n per run without a hole, over all kinds. */
export interface Frame {
  seq: number;
  kind: FrameKind;
  ts: Date;
  /** JSON text of the kind's own fields. */
  payload: string;
}
