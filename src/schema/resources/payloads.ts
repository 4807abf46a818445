import { type GraphQLResolveInfo, getNamedType, isObjectType } from 'graphql';
import { invalid } from '../../engine/errors.ts';
import { headOf } from '../../engine/paging/index.ts';
import type { HeadLoader } from '../loaders/index.ts';
import { builder } from '../machinery/builder.ts';
import { selectedArguments, selectedFields } from '../machinery/selection.ts';

/** Bytes of a head: if a document names none, and at most. */
const headBytes = { default: 4096, max: 256 * 1024 };

/** A payload, read as far as a document asks. */
interface PayloadView {
  bytes: number;
  head(bytes: number): string | Promise<string>;
  text: string;
}

export const PayloadType = builder.objectRef<PayloadView>('Payload').implement({
  description: 'The JSON text of a payload as it was sent, with its digits, the order of its keys, and repeated keys.',
  fields: (t) => ({
    bytes: t.exposeInt('bytes', {
      description: 'The size of the text, in bytes of UTF-8. The text need not leave the database.',
    }),
    head: t.string({
      description: 'The beginning of the text, in whole characters.',
      args: { bytes: t.arg.int({ description: 'Bytes of the beginning: 4096 by default, at most 262144.' }) },
      resolve: (view, { bytes }) => view.head(checkedBytes(bytes)),
    }),
    text: t.exposeString('text', { description: 'The whole text.' }),
  }),
});

/** The sizes of the beginnings that a document asks for. One that cannot be fails at its field. */
function headsOf(info: GraphQLResolveInfo): number[] {
  const type = getNamedType(info.returnType);
  if (!isObjectType(type)) return [];
  return selectedArguments(info, type, 'head')
    .map(({ bytes }) => bytes ?? headBytes.default)
    .filter((bytes): bytes is number => isHeadSize(bytes));
}

function checkedBytes(bytes: number | null | undefined): number {
  if (bytes === null || bytes === undefined) return headBytes.default;
  if (isHeadSize(bytes)) return bytes;
  throw invalid(`bytes must be an integer from 1 to ${headBytes.max}`);
}

const isHeadSize = (bytes: unknown): boolean => Number(bytes) >= 1 && Number(bytes) <= headBytes.max;

interface PayloadPlace<Owner extends object, Column extends string> {
  of: Owner;
  column: Column;
  heads: HeadLoader<Owner, Column>;
  /** Reads the whole text. */
  text(): Promise<string | null | undefined>;
}

/** A payload of the schema; null if there is none. A text that a document asks for is read once. */
export async function viewPayload<Owner extends object, Column extends string>(
  { of, column, heads, text }: PayloadPlace<Owner, Column>,
  info: GraphQLResolveInfo,
): Promise<PayloadView | null> {
  if (selectedFields(info).has('text')) {
    const whole = await text();
    if (whole === null || whole === undefined) return null;
    return { bytes: Buffer.byteLength(whole), head: (bytes) => headOf(whole, bytes), text: whole };
  }
  const size = await heads.size(of, column);
  if (size === undefined) return null;
  // The fields of a long list are resolved in turns. Here, one statement reads all beginnings.
  await Promise.all(headsOf(info).map((bytes) => heads.head(of, column, { size, bytes })));
  return { bytes: size, head: (bytes) => heads.head(of, column, { size, bytes }), text: '' };
}
