/** Something odd at a key: the gateway starts, and yet it cannot be what was meant. Never repeats a secret. */
export interface ConfigurationWarning {
  /** Names of the levels, joined by dots. */
  readonly key: string
  /** Behind the name of the key. */
  readonly message: string
  readonly hint: string
}
