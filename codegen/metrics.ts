import { Registry } from 'prom-client';
import type { EngineContext } from '../src/engine/context.ts';
import { maxWorkflows } from '../src/engine/tally/index.ts';
import { mcpMetrics } from '../src/mcp/index.ts';
import { type MetricGroup, metricGroups } from '../src/rest/index.ts';
import { table } from './table.ts';

/** Metrics are declared without a database: they ask for figures when they are scraped. */
const engine: EngineContext = JSON.parse('{}');

const groups = (): MetricGroup[] => [
  ...metricGroups(engine),
  { title: 'Agent tools', seenBy: '`api`', add: mcpMetrics(engine) },
];

/** The reference page on metrics, from their declarations. */
export const metricsText = (): string => `# Metrics

This page is generated (\`npm run codegen\`) from the declarations of the metrics. [Monitoring](../guides/monitoring.md) has queries and
alerts for them.

\`GET /metrics\` answers in the text format of Prometheus, in every process, whatever its roles. It takes the operator key, or a secret
key.

- **Processes.** Counters and histograms are those of one process since its start. Sum them over all processes. Figures that are read
  from the database are the same in every process: take their maximum.
- **Labels.** Only \`app\` and \`workflow\` have values of your own. A process names the first ${maxWorkflows} pairs that it sees, over all projects.
  All further ones count as \`other\`.
- **Tenants.** No metric names a project. The operator key sees all names of apps and workflows. A secret key sees those of its own
  project; the others count as \`other\`.
- **Cost.** Counters are kept in memory. Figures from the database ride indexes, are counted up to a limit, and are at most five seconds
  old.
- **Accuracy.** A change is counted after its commit. If the connection breaks during a commit, or the process dies after it, the change
  may not be counted.
- **Process.** The default metrics of the library \`prom-client\` are there, too: CPU, memory, event loop, garbage collection.

${groups().map(section).join('\n')}`;

function section({ title, seenBy, add }: MetricGroup): string {
  const registry = new Registry();
  add([registry]);
  const rows = registry.getMetricsAsArray().map((metric) => {
    const labels = 'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames : [];
    const named = labels.map((label) => `\`${label}\``).join(', ');
    return [`\`${metric.name}\``, String(metric.type), named, metric.help.replaceAll('|', '\\|')];
  });
  return `## ${title}

Counted by: ${seenBy}.

${table(['Metric', 'Type', 'Labels', 'Meaning'], rows)}
`;
}
