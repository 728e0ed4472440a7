import type { Words } from '../words'

/** The words of the pages in French. A no-break space stands in front of its high punctuation marks. */
export const french: Words = {
  scopes: { profile: 'Savoir qui vous êtes' },
  consent: {
    question: 'Connecter {client} à {tenant}\u00a0?',
    confirm: 'Voulez-vous vraiment connecter cette application\u00a0?',
    confirmTitle: 'Veuillez confirmer\u00a0: {question}',
    quote: '«\u00a0{name}\u00a0»',
    signedInAs: 'Vous êtes connecté(e) en tant que {customer}.',
    otherAccount: 'Utiliser un autre compte',
    scopes: '{client} pourra\u00a0:',
    unused: 'La connexion prend fin si l’application ne l’utilise pas pendant {time}.',
    lasts: 'La connexion dure {time}.',
    disconnect: 'Vous pouvez y mettre fin à tout moment dans {apps}.',
    publisher: 'Publié par',
    destination: 'Vous serez redirigé(e) vers',
    appOnDevice: 'une application sur cet appareil ({host})',
    appThatOpens: 'l’application de cet appareil qui ouvre {address}',
    onDevice: 'une application sur un appareil',
    anyAppOnDevice:
      'N’importe quelle application de cet appareil peut se faire passer pour {client}. Ne continuez que si vous l’avez lancée vous-même.',
    notChecked:
      '{tenant} n’a pas vérifié cette application. Ne l’autorisez que si vous venez de lui demander de se connecter.',
    known:
      'Il s’agit de l’application {client} de {publisher}. {tenant} ne l’a pas vérifiée. Ne l’autorisez que si vous venez de lui demander de se connecter.',
    allow: 'Autoriser',
    deny: 'Refuser',
    end: 'Fin de la page',
  },
  error: {
    title: 'La connexion n’a pas abouti',
    noAnswer:
      'Chaque application de ce type possède une adresse où nous consultons ses informations. Cette fois, cette adresse n’a pas répondu. Votre compte n’est pas en cause.',
    tryAgain: 'Veuillez réessayer dans un instant.',
    repeat: 'Réessayer',
    goBack: 'Veuillez retourner dans l’application d’où vous venez et la connecter à nouveau.',
    notAllowed:
      '{tenant} n’autorise pas cette application à se connecter. Si vous en avez besoin, veuillez vous adresser à {tenant}.',
    unknownApp:
      'Cette application n’est pas connue ici. Veuillez supprimer la connexion dans l’application, puis la recréer.',
    wrongAddress:
      'L’application veut vous rediriger vers une adresse qui n’est pas la sienne. Il peut s’agir d’une tentative de fraude. Ne réessayez pas et adressez-vous à l’éditeur de l’application.',
    noCompany:
      'Aucune entreprise ne se trouve à cette adresse. Veuillez vérifier l’adresse que vous avez saisie dans l’application.',
    forDeveloper: 'Pour l’éditeur de l’application\u00a0: {error}',
  },
  connected: {
    title: 'Applications connectées',
    intro: 'Ce que vous avez connecté à {tenant}\u00a0:',
    none: 'Vous n’avez connecté aucune application à {tenant}.',
    since: 'Connectée',
    lastUsed: 'Dernière utilisation',
    destinations: 'Les connexions aboutissent à',
    may: 'Elle peut\u00a0:',
    managed: 'La connexion de {tenant} a relié cette application et peut la relier de nouveau.',
    disconnect: 'Déconnecter',
    disconnectAll: 'Tout déconnecter',
    question: 'Déconnecter {client} de {tenant}\u00a0?',
    questionAll: 'Déconnecter toutes les applications de {tenant}\u00a0?',
    effect: 'L’accès prend fin au plus tard dans {time}. Vous pouvez vous reconnecter à tout moment.',
    cancel: 'Annuler',
  },
  links: {
    privacy: 'Confidentialité',
    terms: 'Conditions d’utilisation',
    imprint: 'Mentions légales',
    support: 'Aide',
    home: 'Retour à {tenant}',
  },
}
