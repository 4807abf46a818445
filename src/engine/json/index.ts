export { type JsonDocument, type PathSegment, readJson } from './document.ts';
export { RawJson } from './rawJson.ts';
export { nestingExceeds, skipSpace, skipString, skipValue } from './scan.ts';
export { stringifyRaw } from './stringifyRaw.ts';
export {
  hasControlCharacter,
  hasUnsupportedCharacter,
  hasUnsupportedCharacterInJson,
} from './unsupportedCharacters.ts';
