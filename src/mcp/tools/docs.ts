import { invalid, notFound } from '../../engine/errors.ts';
import type { JsonSchema } from '../../rest/index.ts';
import { fenceBytes } from '../answer/fence.ts';
import { visibleJson } from '../answer/visible.ts';
import { type Arguments, inputSchemaOf, memberOf } from '../catalog/arguments.ts';
import { dataSchema } from '../catalog/outputSchema.ts';
import type { DataAnswer, Tool, ToolCall } from '../declare/tool.ts';
import { type Page, pageNamed, readPages } from '../library/pages.ts';
import { type Piece, pieceOf } from '../library/pieceOf.ts';
import { PageIndex } from '../library/searchPages.ts';

const text: JsonSchema = { type: 'string' };
const count: JsonSchema = { type: 'integer', minimum: 0 };

const maxQueryLength = 500;
const maxHits = 20;
const hitsByDefault = 6;

const searchArguments: Arguments = {
  query: { schema: { type: 'string', maxLength: maxQueryLength }, required: true },
  limit: { schema: { type: 'integer', minimum: 1, maximum: maxHits, default: hitsByDefault }, required: false },
};

let index: Promise<PageIndex> | undefined;

/** The index of this version's pages, made once. */
function readIndex(): Promise<PageIndex> {
  index ??= readPages()
    .then(PageIndex.of)
    .catch((error: unknown) => {
      index = undefined;
      throw error;
    });
  return index;
}

const searchDocsTool: Tool = {
  name: 'search_docs',
  toolset: 'docs',
  title: 'Search the documentation',
  description:
    'Finds sections of the documentation of this very version by words: concepts, settings, errors, SDK functions. `read_doc` reads a section from its `page` and `offset`.',
  annotations: { readOnlyHint: true },
  inputSchema: inputSchemaOf(searchArguments),
  outputSchema: dataSchema(
    {
      sections: {
        type: 'array',
        items: {
          type: 'object',
          required: ['page', 'title', 'heading', 'offset', 'excerpt'],
          properties: { page: text, title: text, heading: text, offset: count, excerpt: text },
        },
      },
    },
    ['sections'],
  ),
  routes: [],
  isWrite: false,
  async run(call) {
    const query = memberOf(call.arguments, 'query');
    if (typeof query !== 'string' || query.length > maxQueryLength)
      throw invalid(`query must be a string of at most ${maxQueryLength} characters`);
    const limit = wholeNumber(call, 'limit', { byDefault: hitsByDefault, min: 1, max: maxHits });
    const { hits, total } = (await readIndex()).search(query, limit);
    return fewerHits(hits, total, call.maxBytes);
  },
};

/** An answer with as many sections as fit. */
function fewerHits(hits: readonly unknown[], total: number, maxBytes: number): DataAnswer {
  const about =
    hits.length === 0
      ? 'No section has these words. The page readme lists all pages.'
      : `${hits.length} of ${total} sections, the best first. read_doc reads one from its offset.`;
  const answer: DataAnswer = { about, data: { sections: hits } };
  return hits.length <= 1 || fits(answer, maxBytes) ? answer : fewerHits(hits.slice(0, -1), total, maxBytes);
}

const readArguments: Arguments = {
  page: { schema: { type: 'string', description: 'Such as `guides/approvals`; `readme` lists all.' }, required: true },
  offset: { schema: { ...count, default: 0 }, required: false },
};

const readDocTool: Tool = {
  name: 'read_doc',
  toolset: 'docs',
  title: 'Read the documentation',
  description:
    'A page of the documentation as Markdown, from `offset` on. A long page comes in pieces: pass `nextOffset` as `offset` for the next one.',
  annotations: { readOnlyHint: true },
  inputSchema: inputSchemaOf(readArguments),
  outputSchema: dataSchema({ page: text, title: text, offset: count, text, nextOffset: count, characters: count }, [
    'page',
    'title',
    'offset',
    'text',
    'characters',
  ]),
  routes: [],
  isWrite: false,
  async run(call) {
    const name = memberOf(call.arguments, 'page');
    if (typeof name !== 'string') throw invalid('page must be a string');
    const page = await findPage(name);
    const offset = wholeNumber(call, 'offset', { byDefault: 0, min: 0, max: page.text.length });
    const answerOf = (piece: Piece): DataAnswer => pageAnswer(page, piece);
    return answerOf(pieceOf(page, offset, (piece) => fits(answerOf(piece), call.maxBytes)));
  },
};

/** Whether the text of an answer has at most so many bytes. */
const fits = ({ about, data }: DataAnswer, maxBytes: number): boolean =>
  Buffer.byteLength(about) + fenceBytes + Buffer.byteLength(visibleJson(JSON.stringify(data))) <= maxBytes;

/** Throws `notFound` for a page that does not exist. */
async function findPage(name: string): Promise<Page> {
  const page = pageNamed(await readPages(), name);
  if (!page) throw notFound('page not found: search_docs finds pages, and readme lists them');
  return page;
}

function pageAnswer({ name, title, text: whole }: Page, { offset, text: part, nextOffset }: Piece): DataAnswer {
  const about =
    nextOffset === undefined
      ? 'The documentation of this version, up to the end of the page.'
      : 'The documentation of this version. The page goes on: pass nextOffset as offset.';
  return {
    about,
    data: {
      page: name,
      title,
      offset,
      characters: whole.length,
      ...(nextOffset !== undefined && { nextOffset }),
      text: part,
    },
    isExact: true,
  };
}

/** Throws `invalid` outside of the accepted range. */
function wholeNumber(
  { arguments: given }: ToolCall,
  name: string,
  { byDefault, min, max }: { byDefault: number; min: number; max: number },
): number {
  const value = memberOf(given, name) ?? byDefault;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
    throw invalid(`${name} must be an integer from ${min} to ${max}`);
  return value;
}

export const docsReads: readonly Tool[] = [searchDocsTool, readDocTool];
