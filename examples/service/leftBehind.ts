import type { Service } from './service.ts';

/** Lines that tell a person where to look at the runs of a demo. */
export function leftBehind(service: Service, app: string, runIds: readonly string[]): string[] {
  const [first = ''] = runIds;
  const query = `{ runs(filter: { app: "${app}" }, first: 10) { nodes { id workflow status steps { name status } } } }`;
  return [
    service.isOurs
      ? 'the service of this demo ends now. Its data stays: after `npm start`, look at the runs with'
      : 'to look at the runs:',
    `  npx holdfast runs list --app ${app}`,
    `  npx holdfast runs get ${first}`,
    `  npx holdfast runs tail ${first}`,
    `  ${service.baseUrl}/console/runs/${first}`,
    `  ${service.baseUrl}/graphql?query=${encodeURIComponent(query)}`,
  ];
}
