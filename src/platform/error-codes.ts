export interface ErrorMeaning {
  /** Of an answer over HTTP with this code; absent where none has it. A failure of a provider is 502 or 504, so that a client considers a retry. */
  readonly status?: number
  readonly meaning: string
  /** The same request may succeed later without a change. */
  readonly retryable?: true
}

/**
 * Every code that an error of Foreword can have. Those with a status appear in answers over HTTP, in the order of the guide
 * (docs/guide/http.md, which is checked against it).
 */
export const errorCodes = {
  'invalid-input': { status: 400, meaning: 'The request is invalid; the message names the field.' },
  'bad-request': { status: 400, meaning: 'The provider refused the request.' },
  'unsupported-parameter': { status: 400, meaning: '`parameter` has no place on the wire of this model.' },
  unauthorized: { status: 401, meaning: 'The token is missing or wrong.' },
  'sign-in-failed': {
    status: 401,
    meaning: 'What a browser brought from the OpenID provider is not valid, or belongs to another sign-in.',
  },
  'sign-in-denied': {
    status: 403,
    meaning: 'No rule of `gateway.openid.allow` lets the person in who signed in.',
  },
  'host-not-allowed': { status: 403, meaning: '`Host` is not a name of this gateway.' },
  'origin-not-allowed': { status: 403, meaning: 'The page comes from another origin.' },
  forbidden: { status: 403, meaning: 'The scope of the token does not include it; `scope` names the one that does.' },
  'not-found': {
    status: 404,
    meaning: 'What was requested does not exist; the facts name it: `session`, `turn`, `call`, `file`, `path`, …',
  },
  'model-not-found': { status: 404, meaning: 'The model is unknown.' },
  'method-not-allowed': { status: 405, meaning: 'The endpoint has other methods; `Allow` lists them.' },
  'key-reused': {
    status: 409,
    meaning: 'This idempotency key belongs to another message, or to a turn that was taken back.',
  },
  exists: { status: 409, meaning: 'Something of this id exists already.' },
  changed: { status: 409, meaning: 'Somebody has changed it since you read it.' },
  decided: { status: 409, meaning: 'Somebody has decided already, or `digest` is that of something else.' },
  'no-text': { status: 409, meaning: 'The file has no text; the message says why.' },
  'body-too-large': { status: 413, meaning: 'The body is larger than `gateway.maxBodyBytes` allows.' },
  'file-too-large': { status: 413, meaning: 'The file is larger than the limit of one file.' },
  'unsupported-media-type': { status: 415, meaning: 'The body is not of the type that the endpoint reads.' },
  'context-overflow': { status: 422, meaning: 'The prompt is too large for the model.' },
  'content-filter': { status: 422, meaning: 'The provider refused the content.' },
  'rate-limit': { status: 429, meaning: 'The provider limits requests; with `Retry-After`.', retryable: true },
  quota: {
    status: 429,
    meaning: 'The account at the provider has no credit left; with `Retry-After`.',
    retryable: true,
  },
  'too-many-attempts': {
    status: 429,
    meaning: 'Many wrong tokens came; with `Retry-After`. A right one is answered at once.',
  },
  'over-budget': { status: 402, meaning: 'The call could cost more than is left of a budget; it was not made.' },
  cancelled: { status: 499, meaning: 'Somebody cancelled the turn or the call.' },
  internal: { status: 500, meaning: 'Foreword failed; its log has the details.' },
  storage: { status: 500, meaning: 'The store could not be read or written.' },
  'storage-damaged': { status: 500, meaning: 'Rows of the store are not as they were written: restore a backup.' },
  'missing-content': { status: 500, meaning: 'A text that the log refers to is not in the store any more.' },
  unwritable: { status: 500, meaning: 'A file cannot be written; the message names it.' },
  // The provider's key, not the caller's token: 401 would send people looking in the wrong place.
  auth: { status: 502, meaning: "The provider refused the gateway's key." },
  network: { status: 502, meaning: 'The provider cannot be reached, or its answer broke off.', retryable: true },
  server: { status: 502, meaning: 'The provider failed.', retryable: true },
  'prompt-truncated': { status: 502, meaning: 'The provider read less than it was sent.' },
  'no-answer': { status: 502, meaning: 'The model gave no answer.', retryable: true },
  'unexpected-answer': { status: 502, meaning: 'The response is not an answer of a model.' },
  closing: { status: 503, meaning: 'The gateway is stopping; with `Retry-After`.', retryable: true },
  standby: {
    status: 503,
    meaning:
      'Another gateway works, or may work because the database does not answer this one; `active` is its address where it is known; with `Retry-After`.',
    retryable: true,
  },
  overloaded: {
    status: 503,
    meaning:
      'As many turns are open as `agent.maxOpenTurns` allows, or there is no memory for another body; with `Retry-After`. Nothing was stored.',
    retryable: true,
  },
  timeout: { status: 504, meaning: 'The provider did not answer in time.', retryable: true },
  'sign-in-unavailable': {
    status: 502,
    meaning: 'The OpenID provider cannot be reached, or does not work; tokens do.',
    retryable: true,
  },
  'over-quota': {
    status: 507,
    meaning:
      'As many files are there, or as many bytes of them, as `people.maxFiles` and `people.maxFileBytes` allow each person. The file was not stored.',
  },
  'storage-full': { status: 507, meaning: 'The disk is full.', retryable: true },

  // Stores, the index and archives: in `facts` of others, in the log, and in answers of the command.
  full: { meaning: 'The disk, or the size that the file may have, is full.', retryable: true },
  busy: { meaning: 'Another process held the file for longer than the busy time-out.', retryable: true },
  corrupt: { meaning: 'The file is damaged, or has another format.' },
  io: { meaning: 'The disk failed to read or write.' },
  'not-signed': {
    meaning: 'An archive is not signed with the key that was asked for.',
  },
  'not-synced': {
    meaning: 'The disk did not confirm what was written; nothing more is written until the gateway starts again.',
  },
  newer: { meaning: 'A newer version of Foreword wrote the file.' },
  older: { meaning: 'An older version wrote the file, and this one cannot bring it up to date, or may only read it.' },
  readonly: { meaning: 'The file may not be written.' },
  conflict: { meaning: 'Something of this name exists, has already ended, or was changed meanwhile.' },
  invalid: { meaning: 'What was handed in cannot be stored or indexed.' },
  'too-large': { meaning: 'It is larger than the limit.' },
  'network-home': { meaning: 'The home is on a network file system, where several machines could write the store.' },
  'taken-over': { meaning: 'Another gateway has taken the store over, since this one gave no sign of life.' },
  claimed: { meaning: 'Another gateway runs on this home.' },
  closed: { meaning: 'The store is closed.' },
  embedding: {
    meaning: 'The embedding model cannot be reached, refused, or answered with no vectors.',
    retryable: true,
  },
  elsewhere: { meaning: 'The sessions of the home are in a database, and this works on a file.' },
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
  'not-started': { meaning: 'The program cannot be started.' },
  'not-supported': { meaning: 'The program is set to something that cannot go through the gateway.' },
  'not-a-person': { meaning: 'A person has to decide this, at a terminal.' },
  left: { meaning: 'The turn continues without being shown.' },
  unsupported: { meaning: 'The client that was named cannot do that.' },
  unexpected: { meaning: 'The command failed unexpectedly.' },
} as const satisfies Readonly<Record<string, ErrorMeaning>>

export type ErrorCode = keyof typeof errorCodes
