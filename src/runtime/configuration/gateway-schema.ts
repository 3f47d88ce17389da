import { BlockList, isIP } from 'node:net'
import { z } from 'zod'
import { environmentVariable, homePath, httpAddress, personRoles } from '../../capability.ts'

const words = (what: string) => z.array(z.string().min(1)).min(1).optional().describe(what)

/** Who may sign in: one of the rules is enough, and without a rule nobody may. */
const allow = z
  .strictObject({
    emails: words('These addresses, where the provider says that they are verified.'),
    domains: words('Verified addresses of these domains, without those below them, such as example.com.'),
    groups: words('Members of these groups.'),
  })
  .refine((rules) => Object.values(rules).some((each) => each !== undefined), 'must name emails, domains or groups')

/** `gateway.openid`. */
const openid = z.strictObject({
  issuer: z
    .string()
    .refine(isProvider, 'must be an https address; http is for a provider on this machine')
    .describe('Address of the provider, as it writes it in its tokens.'),
  clientId: z.string().min(1).describe('Id under which this gateway is registered there.'),
  clientSecretEnv: environmentVariable()
    .optional()
    .describe('Environment variable that holds the secret of the client. Without a secret it is a public client.'),
  clientSecretFile: homePath({ path: 'file' }).optional().describe('File that holds the secret of the client.'),
  clientSecretIn: z
    .enum(['header', 'body'])
    .optional()
    .describe('How the secret is sent: as HTTP Basic or in the form. In the header where the provider accepts that.'),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be a word'))
    .default(['profile', 'email'])
    .describe('What is asked for beside `openid`.'),
  groupsClaim: z.string().min(1).default('groups').describe('Claim with the groups of somebody.'),
  nameClaim: z.string().min(1).default('preferred_username').describe('Claim that a new person is named after.'),
  allow: allow.describe('Who may sign in.'),
  hours: z
    .int()
    .min(1)
    .max(8_760)
    .default(168)
    .describe('How long a browser stays signed in, hours. Then the provider is asked again, also for the groups.'),
  roles: z
    .record(z.string().min(1), z.enum(personRoles))
    .optional()
    .describe(
      'Roles by group: `member` or `guest`. The larger one counts, and those in none of the groups are guests. Without it everybody who may sign in is a member.',
    ),
})

const trustedProxy = z.strictObject({
  header: z
    .string()
    .regex(/^[a-z0-9-]+$/i, 'must be the name of a header')
    .refine((name) => !KNOWN_HEADERS.has(name.toLowerCase()), 'must be a header that nothing else uses')
    .describe('Header in which the proxy names the person, such as x-forwarded-user.'),
  from: z
    .array(z.string().refine(isNetwork, 'must be an address or a network, such as 10.0.0.7 or 10.0.0.0/24'))
    .min(1)
    .describe('Addresses and networks of the proxy. From any other address the header is ignored.'),
})

const publicUrl = z
  .string()
  .refine(isOrigin, 'must be an address without a path, such as https://foreword.example.com')
  .optional()
  .describe(
    'Address that browsers reach the gateway by, where a proxy is before it. Unless given, the name that the browser asks for.',
  )

export const gateway = z.strictObject({
  port: z.int().min(0).max(65_535).default(4141).describe('Port that the gateway listens on; 0 chooses a free one.'),
  bind: z
    .string()
    .refine(isAddress, 'must be an address or a name, without a scheme, a port or a path')
    .default('127.0.0.1')
    .describe('Address that the gateway listens on. Any other than loopback needs a token of at least 24 characters.'),
  peerAddress: httpAddress()
    .optional()
    .describe(
      'Address at which the other gateways on the same database reach this one, such as http://10.0.0.5:4141. The one that it listens on unless given.',
    ),
  token: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be a word of printable characters without spaces')
    .optional()
    .describe('Token that callers send. Better left out: the gateway creates one at its first start, in data/token.'),
  allowedHosts: z
    .array(z.string())
    .default([])
    .describe('Names besides loopback and the bind address that a caller may use for the gateway.'),
  maxBodyBytes: z.int().min(1024).default(1_048_576).describe('The largest body of an HTTP request, bytes.'),
  heldBodyMegabytes: z
    .int()
    .min(1)
    .max(65_536)
    .default(128)
    .describe(
      'The bodies of all requests that are held in memory at the same time, megabytes. One token has half of it while it has any; a larger body is held alone.',
    ),
  publicUrl,
  openid: openid.optional().describe('People sign in with an OpenID provider.'),
  trustedProxy: trustedProxy.optional().describe('A proxy that signs people in and names them in a header.'),
})

const KNOWN_HEADERS = new Set(['authorization', 'cookie', 'host', 'origin', 'x-api-key', 'x-forwarded-for'])

/** What a port can be opened on: an IP address or the name of this machine. */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 || /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(text)
}

function isProvider(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, search, hash, username } = new URL(text)
  if (search !== '' || hash !== '' || username !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname))
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, origin, href } = new URL(text)
  return /^https?:$/.test(protocol) && href === `${origin}/`
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || more.length > 0) return false
  if (prefix === undefined) return true
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128)
}

/** Addresses and networks as one list to look in. */
export function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return list
}
