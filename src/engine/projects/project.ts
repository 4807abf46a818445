/** A tenant: everything but platform keys belongs to one. */
export interface Project {
  id: string;
  name: string;
  /** Runs that may execute at once; 0 is unlimited. */
  concurrencyCeiling: number;
  suspended: boolean;
  createdAt: Date;
}

/** The columns of a `Project`, for the statements of this domain. */
export const projectColumns = 'id, name, concurrency_ceiling, suspended_at is not null as suspended, created_at';
