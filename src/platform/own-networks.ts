/** Names that no public resolver knows (RFC 6761, 6762, 8375, and names that ICANN reserved), and all below them. */
export const ownNames = ['localhost', 'localdomain', 'local', 'lan', 'internal', 'intranet', 'home.arpa'] as const

/** Networks of a machine and of those that it can reach without the internet. */
export const ownNetworks = {
  ipv4: [
    '10.0.0.0/8', // private
    '100.64.0.0/10', // behind a carrier's translation or within a VPN; 100.100.100.200 tells metadata in one cloud
    '127.0.0.0/8', // loopback
    '169.254.0.0/16', // link-local; 169.254.169.254 tells metadata in most clouds
    '172.16.0.0/12', // private
    '192.168.0.0/16', // private
  ],
  ipv6: [
    '::1/128', // loopback
    'fc00::/7', // unique local
    'fe80::/10', // link-local
  ],
} as const
