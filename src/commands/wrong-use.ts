/** A command line that cannot be followed. Its message is for the person who wrote it. */
export class WrongUse extends Error {}
