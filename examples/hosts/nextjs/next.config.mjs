const signInPaths = ['/v1/:tenantKey/oauth/:path*', '/.well-known/:path*']

export default {
  rewrites: () => [
    ...signInPaths.map((source) => ({ source, destination: '/api/sign-in' })),
    { source: '/v1/:tenantKey/bookings', destination: '/api/bookings' },
  ],
}
