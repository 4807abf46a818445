export {
  type EndpointScheme,
  endpointSchemes,
  type Handshake,
  handshakes,
  type SourceScheme,
  sourceSchemes,
} from './schemes.ts';
