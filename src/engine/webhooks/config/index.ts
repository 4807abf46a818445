export type { EndpointInput, EndpointRow } from './endpoint.ts';
export { findEndpoint, findEndpoints, listEndpoints, readEndpointSecrets } from './endpoints.ts';
export {
  type CreatedEndpoint,
  createEndpoint,
  deleteEndpoint,
  type EndpointChange,
  endpointMissing,
  type NewEndpoint,
  updateEndpoint,
  type WrittenEndpoint,
} from './endpointWrites.ts';
export { isSecretHeader, maxExposedHeaders, maxUrlLength, secretLength } from './fields.ts';
export {
  type EndpointScheme,
  endpointSchemes,
  type Handshake,
  handshakes,
  type SourceScheme,
  sourceSchemes,
} from './schemes.ts';
export type { ShownSource, SourceInput } from './source.ts';
export { findSource, findSources, listSources, receiveUrlOf, tokenOf } from './sources.ts';
export {
  type CreatedSource,
  createSource,
  deleteSource,
  type NewSource,
  type SourceChange,
  sourceMissing,
  updateSource,
  type WrittenSource,
} from './sourceWrites.ts';
export { hashToken, isToken, tokenShape } from './token.ts';
