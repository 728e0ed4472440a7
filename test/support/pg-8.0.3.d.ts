declare module 'pg-8.0.3' {
  export { Pool } from 'pg'
}
