/** What a code means. */
export interface ErrorMeaning {
  readonly meaning: string
  /** The same request may succeed later without a change. */
  readonly retryable?: true
}

/**
 * Every code that an error of Foreword can have. Those up to `storage-full` appear in answers over HTTP, in the order of the
 * guide (docs/guide/http.md, which is checked against it); the server adds their status.
 */
export const errorCodes = {
  'invalid-input': { meaning: 'The request is invalid; the message names the field.' },
  'bad-request': { meaning: 'The provider refused the request.' },
  'unsupported-parameter': { meaning: '`parameter` has no place on the wire of this model.' },
  'append-only': { meaning: 'The log only grows: `regenerate` is refused.' },
  unauthorized: { meaning: 'The token is missing or wrong.' },
  'host-not-allowed': { meaning: '`Host` is not a name of this gateway.' },
  'origin-not-allowed': { meaning: 'The page comes from another origin.' },
  'not-found': {
    meaning: 'What was requested does not exist; the facts name it: `session`, `turn`, `call`, `file`, `path`, …',
  },
  'model-not-found': { meaning: 'The model is unknown.' },
  'method-not-allowed': { meaning: 'The endpoint has other methods; `Allow` lists them.' },
  'key-reused': { meaning: 'This idempotency key belongs to another message, or to a turn that was taken back.' },
  exists: { meaning: 'Something of this id exists already.' },
  changed: { meaning: 'Somebody has changed it since you read it.' },
  decided: { meaning: 'Somebody has decided already, or `digest` is that of something else.' },
  'no-text': { meaning: 'The file has no text; the message says why.' },
  'body-too-large': { meaning: 'The body is larger than `gateway.maxBodyBytes` allows.' },
  'file-too-large': { meaning: 'The file is larger than the limit of one file.' },
  'unsupported-media-type': { meaning: 'The body is not of the type that the endpoint reads.' },
  'context-overflow': { meaning: 'The prompt is too large for the model.' },
  'content-filter': { meaning: 'The provider refused the content.' },
  'rate-limit': { meaning: 'The provider limits requests; with `Retry-After`.', retryable: true },
  quota: { meaning: 'The account at the provider has no credit left; with `Retry-After`.', retryable: true },
  cancelled: { meaning: 'Somebody cancelled the turn or the call.' },
  internal: { meaning: 'Foreword failed; its log has the details.' },
  storage: { meaning: 'The store could not be read or written.' },
  'missing-content': { meaning: 'A text that the log refers to is not in the store any more.' },
  unwritable: { meaning: 'A file cannot be written; the message names it.' },
  auth: { meaning: "The provider refused the gateway's key." },
  network: { meaning: 'The provider cannot be reached, or its answer broke off.', retryable: true },
  server: { meaning: 'The provider failed.', retryable: true },
  'prompt-truncated': { meaning: 'The provider read less than it was sent.' },
  'no-answer': { meaning: 'The model gave no answer.', retryable: true },
  'unexpected-answer': { meaning: 'The response is not an answer of a model.' },
  closing: { meaning: 'The gateway is stopping; with `Retry-After`.', retryable: true },
  timeout: { meaning: 'The provider did not answer in time.', retryable: true },
  'storage-full': { meaning: 'The disk is full.', retryable: true },

  // Stores, the index and archives: in `facts` of others, in the log, and in answers of the command.
  full: { meaning: 'The disk, or the size that the file may have, is full.', retryable: true },
  busy: { meaning: 'Another process held the file for longer than the busy time-out.', retryable: true },
  corrupt: { meaning: 'The file is damaged, or has another format.' },
  io: { meaning: 'The disk failed to read or write.' },
  newer: { meaning: 'A newer version of Foreword wrote the file.' },
  older: { meaning: 'An older version wrote the file, and it is open for reading only.' },
  readonly: { meaning: 'The file may not be written.' },
  conflict: { meaning: 'Something of this name exists, has already ended, or was changed meanwhile.' },
  invalid: { meaning: 'What was handed in cannot be stored or indexed.' },
  'too-large': { meaning: 'It is larger than the limit.' },
  claimed: { meaning: 'Another gateway runs on this home.' },
  closed: { meaning: 'The store is closed.' },
  embedding: {
    meaning: 'The embedding model cannot be reached, refused, or answered with no vectors.',
    retryable: true,
  },
  'no-archive': { meaning: 'The file is not an archive of Foreword.' },
  damaged: { meaning: 'The archive was cut off or changed.' },
  'not-empty': { meaning: 'The home contains something that would be replaced.' },
  stopped: { meaning: 'Somebody stopped it.' },

  // The command.
  usage: { meaning: 'The command has a wrong argument or option.' },
  'no-such-command': { meaning: 'The chat has no command of this name.' },
  ambiguous: { meaning: 'The name matches several things.' },
  configuration: { meaning: 'The configuration is wrong; the message names the key.' },
  file: { meaning: 'A file cannot be read or written; the message names it.' },
  'home-busy': { meaning: 'A gateway runs on this home, and the command needs it for itself.' },
  'no-gateway': { meaning: 'No gateway runs for this home.' },
  port: { meaning: 'The gateway cannot listen on its port.' },
  token: { meaning: 'The token of the gateway cannot be read or written.' },
  tools: { meaning: 'Access was changed, but its new state cannot be shown.' },
  'tool-access': { meaning: '`tool-access.json` cannot be changed.' },
  'not-withheld': { meaning: 'The tool is not withheld: there is nothing to accept.' },
  'not-loaded': { meaning: 'Something of this name exists and was not loaded.' },
  'no-vectors': { meaning: 'There are no vectors to compare with.' },
  'invalid-scenario': { meaning: 'The scenario is invalid; the message names the keys.' },
  'no-scenarios': { meaning: 'There are no scenarios to check.' },
  'nothing-to-undo': { meaning: 'The session has no turn to undo.' },
  'not-a-person': { meaning: 'A person has to decide this, at a terminal.' },
  left: { meaning: 'The turn continues without being shown.' },
  unsupported: { meaning: 'The client that was named cannot do that.' },
  unexpected: { meaning: 'The command failed unexpectedly.' },
} as const satisfies Readonly<Record<string, ErrorMeaning>>

/** One of the keys of `errorCodes`. */
export type ErrorCode = keyof typeof errorCodes
