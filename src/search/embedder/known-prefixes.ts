/** What an embedding model has to read before a text to tell passages and questions apart. */
export interface EmbeddingPrefixes {
  readonly document: string
  readonly query: string
}

/**
 * The prefixes that the authors of a well-known model ask for on its page, by the model's name in whatever spelling a server
 * has for it (`nomic-embed-text:v1.5`, `intfloat/multilingual-e5-large`). Nothing where a model wants none or is not known.
 */
export function knownPrefixes(model: string): EmbeddingPrefixes | undefined {
  const name = model.toLowerCase().replace(/:.*$/, '').split('/').at(-1)!
  return known.find(({ pattern }) => pattern.test(name))?.prefixes
}

const represent = 'Represent this sentence for searching relevant passages: '
const instruct = 'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: '

/** The first that fits holds. */
const known: readonly { readonly pattern: RegExp; readonly prefixes: EmbeddingPrefixes }[] = [
  { pattern: /^nomic-embed-text/, prefixes: { document: 'search_document: ', query: 'search_query: ' } },
  { pattern: /^mxbai-embed-/, prefixes: { document: '', query: represent } },
  { pattern: /^snowflake-arctic-embed(2|-.*v2)/, prefixes: { document: '', query: 'query: ' } },
  { pattern: /^snowflake-arctic-embed/, prefixes: { document: '', query: represent } },
  { pattern: /^bge-(small|base|large)-en/, prefixes: { document: '', query: represent } },
  {
    pattern: /^(multilingual-)?e5-.*instruct|^e5-mistral|^qwen3-embedding/,
    prefixes: { document: '', query: instruct },
  },
  { pattern: /^(multilingual-)?e5-/, prefixes: { document: 'passage: ', query: 'query: ' } },
  {
    pattern: /^embeddinggemma/,
    prefixes: { document: 'title: none | text: ', query: 'task: search result | query: ' },
  },
]
