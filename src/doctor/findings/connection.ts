import type { Words } from './words'

/** Why there is no answer at all. */
export const connectionFindings = {
  'not-https': {
    level: 'wrong',
    says: '{url} is not https. Assistants send tokens only over https',
    remedy: 'Give customers an https address, and set `baseUrl` to it. (http is for development on localhost.)',
  },
  'plain-http': {
    level: 'warning',
    says: '{request} is answered with {status} over http too, where others can read a token',
    remedy: 'Redirect http to https: in nginx, `return 308 https://$host$request_uri;` in the server block of port 80',
  },
  dns: {
    level: 'wrong',
    says: 'DNS knows no address of {host}',
    remedy:
      'Create an A, AAAA or CNAME record for {host}, or correct the name. A new record can take minutes to be seen',
  },
  'dns-server': {
    level: 'wrong',
    says: 'The DNS server did not answer for {host}',
    remedy: 'Check the name servers of the domain, and the DNS settings of this machine',
  },
  refused: {
    level: 'wrong',
    says: '{host} refuses connections at port {port}',
    remedy:
      'Start the proxy or the app, make it listen at port {port} on the public address, and open the port in the firewall',
  },
  'no-route': {
    level: 'wrong',
    says: 'No connection to {host} can be made',
    remedy: 'Check the address in DNS, the routes, and the firewall or security group in front of the server',
  },
  timeout: {
    level: 'wrong',
    says: '{url} did not answer within {seconds} seconds',
    remedy: 'Look for a firewall that drops packets, and in the error log of the proxy for an upstream that hangs',
  },
  closed: {
    level: 'wrong',
    says: '{host} ends the connection without an answer ({reason})',
    remedy:
      'Look into the error log of the proxy. nginx does this for `return 444`, for a listen with `proxy_protocol`, and when a TLS handshake fails',
  },
  'not-http': {
    level: 'wrong',
    says: '{host} does not answer with HTTP',
    remedy: 'Correct the port: another service listens there',
  },
  'too-large': {
    level: 'wrong',
    says: '{url} answers with more than {limit}',
    remedy: 'Look at what answers there: no response of a sign-in is that large',
  },
  'tls-expired': {
    level: 'wrong',
    says: 'The certificate of {host} has expired',
    remedy:
      'Renew it, and reload the proxy: `nginx -s reload`. Check that the renewal runs by itself (`certbot renew --dry-run`)',
  },
  'tls-not-yet-valid': {
    level: 'wrong',
    says: 'The certificate of {host} is not valid yet',
    remedy: 'Set the clock of this machine, or install the certificate that is valid now',
  },
  'tls-wrong-host': {
    level: 'wrong',
    says: 'The certificate is for {names}, not for {host}',
    remedy:
      'Get a certificate that names {host}. If there is one, add {host} to the `server_name` of the server block that has it',
  },
  'tls-incomplete-chain': {
    level: 'wrong',
    says: '{host} sends its certificate without the intermediate certificate that leads to the authority',
    remedy: 'Send the whole chain: in nginx, `ssl_certificate` must be the file `fullchain.pem`, not `cert.pem`',
  },
  'tls-self-signed': {
    level: 'wrong',
    says: 'The certificate of {host} is self-signed',
    remedy:
      "Install one of a public authority, such as Let's Encrypt. To test with your own, set `NODE_EXTRA_CA_CERTS` for the doctor",
  },
  'tls-unknown-authority': {
    level: 'wrong',
    says: 'The certificate of {host} is from an authority that this machine does not know',
    remedy:
      'Install one of a public authority, with its whole chain. To test with an authority of your own, set `NODE_EXTRA_CA_CERTS` for the doctor',
  },
  'tls-plain-http': {
    level: 'wrong',
    says: 'The port of {host} speaks http, not https',
    remedy: 'In nginx, write `listen 443 ssl;`, or correct the port in the address',
  },
  'tls-failed': {
    level: 'wrong',
    says: 'The TLS handshake with {host} fails ({reason})',
    remedy:
      'Allow TLS 1.2 and 1.3: in nginx, `ssl_protocols TLSv1.2 TLSv1.3;` and check that no client certificate is asked for (`ssl_verify_client`)',
  },
} as const satisfies Record<string, Words>
