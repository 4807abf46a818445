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
import type { Pace } from './sql/pace.ts';

/** Some runners send `null` for absent fields. */
type AsGiven<Given> = { [Field in keyof Given]: Given[Field] | null };

/**
 * The complete definition of one policy (2.2). `flow/policies/policies.ts` lists the policies.
 * Parser, pipeline, queue, carry-over, flow state, GraphQL and REST use that list, and name no
 * policy.
 */
export interface Policy<Name extends PolicyName> {
  /** The fields that a registration may set. Their `title` names the GraphQL type. */
  settings: z.ZodObject & z.ZodType<AsGiven<PolicySettings<Name>>>;
  /** The origins of starts that must pass its gates. */
  origins?: readonly Origin[];
  gates?: { [S in Stage]?: Gate<Name, S> };
  /** Sees the recorded runs of its origins, in the transaction that records them. */
  recorded?(transaction: RecordingTransaction, runs: readonly RecordedStart['run'][]): Promise<void>;
  /**
   * The key for which a start competes. The gates of the door, or of the start, decide about starts
   * with the same key one at a time.
   */
  contested?(
    start: WorkflowRef & { policy: Scoped<PolicySettings<Name>> },
    at: 'door' | 'start',
  ): DedupeKey | undefined;
  /** The queue columns that it sets. */
  queued?(policy: Scoped<PolicySettings<Name>>, owner: WorkflowRef): Partial<QueueShape>;
  /**
   * The pace of its rate in `flow_rate`. A registration that changes the pace rescales the rate.
   */
  pace?(policy: PolicySettings<Name>): Pace;
  /**
   * How it delays starts. `turns`: a registration moves delayed starts with the pace. `refill`: a
   * registration makes them due for another check, at the latest at the last turn.
   */
  delays?: 'turns' | 'refill';
  /** How long its buffers wait. A registration that changes this moves their times. */
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
  /** The number of starts that fills a buffer; undefined without a limit. */
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

/** A list has the name of its policy, with two exceptions in the contract. */
type StateField = PolicyName | 'scopes' | 'budgets';

export interface StateQuestion {
  projectId: string;
  /** Only workflows of this name. */
  workflow: string | undefined;
  /** Only workflows of this app. */
  app?: string | undefined;
}

/** Rows of a list in the flow state. */
export const maxStateRows = 1000;

/** Declares a state whose rows have the shown fields. */
export const policyState = <const Field extends StateField, Row extends z.ZodObject>(
  state: PolicyState & {
    field: Field;
    row: Row;
    read(ctx: EngineContext, question: StateQuestion): Promise<z.infer<Row>[]>;
  },
) => state;
