/** Texts that an embedding model expects before a passage and before a question. */
export interface EmbeddingPrefixes {
  readonly document: string
  readonly query: string
}

/**
 * The prefixes that the authors of a well-known model document, by the model's name in the spelling of any server
 * (`nomic-embed-text:v1.5`, `intfloat/multilingual-e5-large`). `undefined` if a model needs none or is not known.
 */
export function knownPrefixes(model: string): EmbeddingPrefixes | undefined {
  const name = model.toLowerCase().replace(/:.*$/, '').split('/').at(-1)!
  return known.find(({ pattern }) => pattern.test(name))?.prefixes
}

const represent = 'Represent this sentence for searching relevant passages: '
const instruct = 'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: '

/** The first pattern that matches counts. */
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
