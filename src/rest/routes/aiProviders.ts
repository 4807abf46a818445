import { documentRoute } from '../declare/route.ts';

export const checkProvider = documentRoute({
  method: 'POST',
  path: '/ai/providers/{provider}/check',
  scope: 'write',
  group: 'runs',
  summary: 'Check the access to a model provider: list its models once',
  failures: [501],
  document: /* GraphQL */ `
    mutation CheckProvider($provider: String!) {
      checkProvider(input: { provider: $provider }) { ...ProviderCheck }
    }
    fragment ProviderCheck on CheckProviderPayload { provider ok latencyMs error }`,
  variables: ({ path }) => ({ provider: path['provider'] }),
  success: { status: 200, at: ['checkProvider'] },
});
