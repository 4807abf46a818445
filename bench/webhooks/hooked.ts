import { HttpClient } from '../httpClient.ts';
import { onStage, type Stage, type StageOptions } from '../stage.ts';
import type { Measures } from '../stats.ts';
import { type Behaviour, Receiver } from './receiver.ts';

/** A stage with a receiver of webhooks. */
export interface Hooked {
  stage: Stage;
  receiver: Receiver;
  http: HttpClient;
}

export const hooked = (options: StageOptions, work: (hooked: Hooked) => Promise<Measures>): Promise<Measures> =>
  onStage(options, async (stage) => {
    const receiver = await Receiver.start();
    const http = new HttpClient(stage.service.baseUrl, stage.service.apiKey);
    try {
      return await work({ stage, receiver, http });
    } finally {
      http.close();
      receiver.stop();
    }
  });

/** Makes endpoints for the ends of runs. Returns their ids. */
export async function subscribe({ http, receiver }: Hooked, behaviour: Behaviour, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const url = receiver.urlOf(behaviour, n);
    const { id } = await http.post<{ id: string }>('/webhook-endpoints', { url, eventKinds: ['run.succeeded'] });
    ids.push(id);
  }
  return ids;
}

/** Makes one endpoint. Returns its id. */
export async function subscribeOne(each: Hooked, behaviour: Behaviour): Promise<string> {
  const [id] = await subscribe(each, behaviour, 1);
  if (id === undefined) throw new Error('no endpoint');
  return id;
}

export async function sendTest({ http }: Hooked, endpointId: string): Promise<void> {
  const query = `mutation($input: SendTestWebhookInput!) { sendTestWebhook(input: $input) { __typename } }`;
  const variables = { input: { endpointId, kind: 'RUN_SUCCEEDED' } };
  const { errors } = await http.post<{ errors?: unknown }>('/graphql', { query, variables });
  if (errors) throw new Error(JSON.stringify(errors));
}
