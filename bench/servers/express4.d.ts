// Express 4 has no types of its own; its handlers have those of Express 5.
declare module 'express4' {
  import express = require('express')
  export = express
}
