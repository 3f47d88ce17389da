/** How the provider caches prompts. */
export interface CacheRules {
  /** `automatic`: any repeated beginning. `marked`: up to the marks in a request. */
  readonly kind: 'automatic' | 'marked'
  /** Shorter prompts are not cached, tokens. */
  readonly minimumTokens: number
  /** Step of reuse, tokens. */
  readonly step?: number
  readonly lifetimeSeconds: number
  /** The longer life that a request can ask for, seconds. `lifetimeSeconds` is this one where requests do. */
  readonly longerSeconds?: number
  /** What a request asks for, so that the cache lives for `longerSeconds`. */
  readonly retention?: '24h'
  /** Requests name their marks themselves; without it the provider marks the newest message alone. */
  readonly breakpoints?: true
  /** Requests ask for the cache with `cache_prompt`. */
  readonly requested?: true
  /** Requests ask the engine to keep the model loaded for so many seconds after them; -1: for ever. */
  readonly keepAlive?: number
  /** The engine has so many slots, and a request can name the one that it goes to. */
  readonly slotCount?: number
  /** The answer stays in the cache behind its prompt, as in engines that keep what they have evaluated. */
  readonly answers?: true
  /** An engine with slots: a later request leaves in the cache only what both begin with. */
  readonly slots?: true
  /** Where a request has its marks. Without it a marked cache is read up to any message that was sent before. */
  readonly marks?: readonly CacheMark[]
  /** Blocks before a mark in which an earlier mark is looked for; all of them unless given. */
  readonly lookBack?: number
}

/** The end of what a mark in a request stands at. */
export type CacheMark =
  | 'tools'
  | 'system'
  /** The last answer or result before a message of the user. */
  | 'settled'
  /** The last three of these before the newest message: the system message, messages of the user, results. */
  | 'asked'
  /** The newest message before those that move, such as a reminder. */
  | 'steady'
  | 'newest'
