/** Attaching models for a person: what there is, a key that is kept, and the model that sessions use. */
export interface ModelSetup {
  /** What can be attached. Asks the servers that are configured or usual, a few seconds at most. */
  options(): Promise<SetupOptions>
  /**
   * Asks the provider once with this key, keeps the key in a file of its own (0600, below `data/keys`), and names that file in
   * `config.json`. Takes effect at once. Rejects with a `RuntimeError`, and has then changed nothing, where the provider does
   * not accept the key or does not answer. `by`: who attaches it, for the audit, which never has the key.
   */
  attach(
    provider: AttachedProvider,
    by?: string,
  ): Promise<{ readonly name: string; readonly models: readonly string[] }>
  /**
   * Sets `model` in `config.json`: sessions that choose none use it from their next turn on. Rejects with a `RuntimeError`
   * where the model cannot be called, or where an environment variable has set another one.
   */
  chooseModel(id: string, by?: string): Promise<void>
  /**
   * Sets `models.ID.fallback` in `config.json`, from the next call on. Rejects with a `RuntimeError` where the model is its own
   * fallback, or where no provider has one of these names.
   */
  setFallback(id: string, fallback: readonly string[], by?: string): Promise<void>
}

export interface SetupOptions {
  /** `false`: a stand-in answers, since no model is attached. */
  readonly ready: boolean
  readonly model: { readonly id: string; readonly why: string }
  readonly providers: readonly SetupProvider[]
}

/** A provider as a person chooses it. */
export interface SetupProvider {
  readonly kind: string
  readonly title: string
  /** It answers nothing without a key. */
  readonly needsKey: boolean
  /** It has no usual address. */
  readonly needsAddress: boolean
  readonly address?: string
  /** Where a person gets a key, or the program itself. */
  readonly website?: string
  /** Ids of the models that can be used now. */
  readonly models: readonly string[]
  /** Why there are none, and what to do about it. */
  readonly why?: string
}

export interface AttachedProvider {
  readonly kind: string
  /** Its name in the configuration; `kind` unless given. Letters, digits, dots, hyphens. */
  readonly name?: string | undefined
  readonly baseURL?: string | undefined
  readonly key?: string | undefined
}
