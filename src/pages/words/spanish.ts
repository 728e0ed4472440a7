import type { Words } from '../words'

/** The words of the pages in Spanish. */
export const spanish: Words = {
  scopes: { profile: 'Saber quién es usted' },
  consent: {
    question: '¿Conectar {client} con {tenant}?',
    confirm: '¿Seguro que quiere conectar esta aplicación?',
    confirmTitle: 'Confirme, por favor: {question}',
    quote: '«{name}»',
    signedInAs: 'Ha iniciado sesión como {customer}.',
    otherAccount: 'Usar otra cuenta',
    scopes: '{client} podrá:',
    unused: 'La conexión termina si la aplicación no la usa durante {time}.',
    lasts: 'La conexión dura {time}.',
    disconnect: 'Puede finalizarla en cualquier momento en {apps}.',
    publisher: 'Publicado por',
    destination: 'Se le redirigirá a',
    appOnDevice: 'una aplicación de este dispositivo ({host})',
    appThatOpens: 'la aplicación de este dispositivo que abre {address}',
    onDevice: 'una aplicación en un dispositivo',
    anyAppOnDevice:
      'Cualquier aplicación de este dispositivo puede hacerse pasar por {client}. Continúe solo si ha sido usted quien la ha iniciado.',
    notChecked: '{tenant} no ha comprobado esta aplicación. Permita el acceso solo si acaba de pedirle que se conecte.',
    known:
      'Es {client}, de {publisher}. {tenant} no ha comprobado esta aplicación. Permita el acceso solo si acaba de pedirle que se conecte.',
    allow: 'Permitir',
    deny: 'Rechazar',
    end: 'Final de la página',
  },
  error: {
    title: 'No se ha podido iniciar sesión',
    noAnswer:
      'Toda aplicación de este tipo tiene una dirección en la que la consultamos. Esta vez, esa dirección no ha respondido. Su cuenta no tiene ningún problema.',
    tryAgain: 'Vuelva a intentarlo dentro de un momento.',
    repeat: 'Volver a intentarlo',
    goBack: 'Vuelva a la aplicación desde la que ha llegado y conéctela de nuevo.',
    notAllowed: '{tenant} no permite que esta aplicación se conecte. Si la necesita, consulte a {tenant}.',
    unknownApp: 'Aquí no se conoce esta aplicación. Elimine la conexión en la aplicación y vuelva a crearla.',
    wrongAddress:
      'La aplicación quiere enviarle a una dirección que no es suya. Puede ser un intento de fraude. No vuelva a intentarlo y consulte al desarrollador de la aplicación.',
    noCompany: 'No hay ninguna empresa en esta dirección. Compruebe la dirección que ha introducido en la aplicación.',
    forDeveloper: 'Para el desarrollador de la aplicación: {error}',
  },
  connected: {
    title: 'Aplicaciones conectadas',
    intro: 'Lo que ha conectado con {tenant}:',
    none: 'No ha conectado ninguna aplicación con {tenant}.',
    since: 'Conectada',
    lastUsed: 'Último uso',
    destinations: 'Los inicios de sesión terminan en',
    may: 'Puede:',
    managed: 'El inicio de sesión de {tenant} ha conectado esta aplicación y puede volver a conectarla.',
    disconnect: 'Desconectar',
    disconnectAll: 'Desconectar todas',
    question: '¿Desconectar {client} de {tenant}?',
    questionAll: '¿Desconectar todas las aplicaciones de {tenant}?',
    effect: 'El acceso termina a más tardar en {time}. Puede volver a conectarse en cualquier momento.',
    cancel: 'Cancelar',
  },
  links: {
    privacy: 'Privacidad',
    terms: 'Condiciones de uso',
    imprint: 'Aviso legal',
    support: 'Ayuda',
    home: 'Volver a {tenant}',
  },
}
