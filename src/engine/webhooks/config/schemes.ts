/** How deliveries to an endpoint are signed (2.11 `scheme`). */
export const endpointSchemes = ['service', 'standard'] as const;
export type EndpointScheme = (typeof endpointSchemes)[number];

/** How the messages of a source are signed. */
export const sourceSchemes = [...endpointSchemes, 'github', 'stripe'] as const;
export type SourceScheme = (typeof sourceSchemes)[number];

/** How a sender confirms the address of a source when it is set up. */
export const handshakes = ['slack', 'meta'] as const;
export type Handshake = (typeof handshakes)[number];
