import { generateKeyPairSync, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

/** A certificate that vouches for itself, and its key, in PEM. Made anew each time, so that no key is kept anywhere. */
export function selfSigned(hosts: readonly string[]): { readonly cert: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from('scripted web')))))
  const altNames = sequence(
    ...hosts.map((host) => (isIPv4(host) ? der(0x87, octets(host)) : der(0x82, Buffer.from(host)))),
  )
  const body = sequence(
    der(0xa0, integer(2)),
    integer(1),
    sequence(ecdsaWithSha256),
    name,
    sequence(der(0x17, Buffer.from('250101000000Z')), der(0x17, Buffer.from('491231235959Z'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(subjectAltName, der(0x04, altNames)))),
  )
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]))
  const whole = sequence(body, sequence(ecdsaWithSha256), signature)
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  }
}

const ecdsaWithSha256 = Buffer.from('06082a8648ce3d040302', 'hex')
const commonName = Buffer.from('0603550403', 'hex')
const subjectAltName = Buffer.from('0603551d11', 'hex')

function sequence(...items: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(items))
}

function integer(value: number): Buffer {
  return der(0x02, Buffer.from([value]))
}

function octets(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number))
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
