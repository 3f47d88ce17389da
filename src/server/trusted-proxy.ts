import { isIP } from 'node:net'
import { type Configuration, networkList } from '../runtime.ts'

export type TrustedProxySettings = NonNullable<Configuration['gateway']['trustedProxy']>

/** Reads the name of the person that a proxy says it has signed in. `socket`: the address of the connection. */
export type ProxiedName = (headers: Headers, socket: string | undefined) => string | undefined

/** Believes the header of a proxy at its addresses alone; from anywhere else, and from this process, it is not looked at. */
export function proxiedName({ header, from }: TrustedProxySettings): ProxiedName {
  const networks = networkList(from)
  return (headers, socket) => {
    const address = socket?.replace(/^::ffff:(?=\d+\.)/, '') ?? ''
    const version = isIP(address)
    if (version === 0 || !networks.check(address, version === 4 ? 'ipv4' : 'ipv6')) return undefined
    const name = headers.get(header)
    return name === null || name === '' ? undefined : name
  }
}
