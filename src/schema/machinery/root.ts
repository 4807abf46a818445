import { builder } from './builder.ts';

// 5: any key of a project reads; only a full-access key writes. Fields for operators say so themselves.
builder.queryType({ authScopes: { project: true } });
builder.mutationType({ authScopes: { write: true, project: true } });
builder.subscriptionType({ authScopes: { project: true } });
