import { lookup } from 'node:dns/promises'

/** The way from a name to a connection. The real one, unless a test plays the internet. */
export interface Network {
  /** Every address of a name. None, or a rejection, where there is no such name. */
  addresses(name: string): Promise<readonly string[]>
  /** Where a connection to a checked address goes: nowhere else, except in tests, where servers on loopback are public. */
  readonly route?: (address: string, port: number) => { readonly host: string; readonly port: number }
  /** Certificates in PEM of authorities that are trusted instead of the usual ones. */
  readonly authorities?: readonly string[]
}

/** Names as this machine resolves them, its hosts file included. */
export const realNetwork: Network = {
  addresses: async (name) => (await lookup(name, { all: true, order: 'verbatim' })).map(({ address }) => address),
}
