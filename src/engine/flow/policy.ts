import type { z } from 'zod';
import type { EngineContext } from '../context.ts';
import type {
  DedupeKey,
  Gate,
  Origin,
  PolicyName,
  PolicySettings,
  QueueShape,
  RecordedStart,
  RecordingTransaction,
  Scoped,
  Stage,
} from './gate.ts';
import type { BufferRow } from './sql/listBuffers.ts';
import type { Pace } from './sql/pace.ts';

/** Some runners write `null` for what they leave out. */
type AsGiven<Given> = { [Field in keyof Given]: Given[Field] | null };

/**
 * All of one policy (2.2). `flow/policies/policies.ts` lists the policies. Parser, pipeline, queue,
 * carry-over, flow state, GraphQL and REST read that list, and know no policy by its name.
 */
export interface Policy<Name extends PolicyName> {
  /** The fields that a registration may set. Their `title` names the GraphQL type. */
  settings: z.ZodObject & z.ZodType<AsGiven<PolicySettings<Name>>>;
  /** The starts that have to pass its gates. */
  origins?: readonly Origin[];
  gates?: { [S in Stage]?: Gate<Name, S> };
  /** Sees the recorded runs of its origins, in the transaction that records them. */
  recorded?(transaction: RecordingTransaction, runs: readonly RecordedStart['run'][]): Promise<void>;
  /**
   * The key for which a start competes. Of starts with the same key, the gates of the door (or
   * of the start) decide about one at a time.
   */
  contested?(
    start: WorkflowRef & { policy: Scoped<PolicySettings<Name>> },
    at: 'door' | 'start',
  ): DedupeKey | undefined;
  /** The columns that a run takes along into the queue. */
  queued?(policy: Scoped<PolicySettings<Name>>, owner: WorkflowRef): Partial<QueueShape>;
  /** The pace of its rate in `flow_rate`. A registration that changes it rescales the rate. */
  pace?(policy: PolicySettings<Name>): Pace;
  /**
   * How it delays starts. `turns`: a registration moves them with the pace. `refill`: a
   * registration has them checked again, at the latest at the last turn.
   */
  delays?: 'turns' | 'refill';
  /** How long its buffers wait. A registration that changes it moves their times. */
  wait?(policy: PolicySettings<Name>): BufferWait;
  state?: PolicyState;
}

export interface WorkflowRef {
  projectId: string;
  app: string;
  workflow: string;
}

export interface BufferWait {
  waitMs: number;
  /** The number of starts that fills a buffer; undefined if none does. */
  maxSize: number | undefined;
}

/** The part of a policy in the flow state (4.9). */
interface PolicyState {
  /** Its list in the flow state. */
  field: StateField;
  description?: string;
  /** The fields of a row. Their `title` names the GraphQL type. */
  row: z.ZodObject;
  /** At most 1000 rows, the fullest first. */
  read(ctx: EngineContext, question: StateQuestion): Promise<object[]>;
}

/** Lists are named like their policy, with two exceptions of the contract. */
type StateField = PolicyName | 'scopes' | 'budgets';

export interface StateQuestion {
  projectId: string;
  /** Only workflows of this name. */
  workflow: string | undefined;
  /** The project's buffers, which several policies show. */
  buffers(): Promise<BufferRow[]>;
}

/** Rows of a list in the flow state. */
export const maxStateRows = 1000;

/** Declares a state whose rows have the fields that are shown. */
export const policyState = <const Field extends StateField, Row extends z.ZodObject>(
  state: PolicyState & {
    field: Field;
    row: Row;
    read(ctx: EngineContext, question: StateQuestion): Promise<z.infer<Row>[]>;
  },
) => state;
