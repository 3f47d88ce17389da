import { isIP } from 'node:net'
import { isConnectionOfTool } from '../platform.ts'
import { type Configuration, networkList } from '../runtime.ts'

export type TrustedProxySettings = NonNullable<Configuration['gateway']['trustedProxy']>

/** The ports of a connection: an object that lasts as long as it. */
export interface Connection {
  readonly localPort?: number | undefined
  readonly remotePort?: number | undefined
}

/**
 * Reads the name of the person that a proxy says it has signed in. `socket`: the address of the connection. A program that a tool started
 * on the machine of the proxy is not the proxy, whatever it sends.
 */
type ProxiedName = (headers: Headers, socket: string | undefined, connection?: Connection) => string | undefined

/** Believes the header of a proxy at its addresses alone; from anywhere else, and from this process, it is not looked at. */
export function proxiedName({ header, from }: TrustedProxySettings): ProxiedName {
  const networks = networkList(from)
  const ofTools = new WeakMap<Connection, boolean>()
  const isOfTool = (connection: Connection): boolean => {
    const known = ofTools.get(connection)
    if (known !== undefined) return known
    const { localPort: local, remotePort: remote } = connection
    const found = local !== undefined && remote !== undefined && isConnectionOfTool({ local, remote })
    ofTools.set(connection, found)
    return found
  }
  return (headers, socket, connection) => {
    const address = socket?.replace(/^::ffff:(?=\d+\.)/, '') ?? ''
    const version = isIP(address)
    if (version === 0 || !networks.check(address, version === 4 ? 'ipv4' : 'ipv6')) return undefined
    const name = headers.get(header)
    if (name === null || name === '' || (connection && isOfTool(connection))) return undefined
    return name
  }
}
