import type { Words } from '../words'

/** The words of the pages in Arabic. */
export const arabic: Words = {
  scopes: { profile: 'معرفة هويتك' },
  consent: {
    question: 'هل تريد ربط {client} مع {tenant}؟',
    confirm: 'يُرجى التأكيد',
    confirmTitle: 'يُرجى التأكيد: {question}',
    quote: '«{name}»',
    signedInAs: 'تم تسجيل دخولك باسم {customer}.',
    otherAccount: 'استخدام حساب آخر',
    scopes: 'سيتمكّن {client} من:',
    publisher: 'الناشر',
    destination: 'ستنتقل إلى',
    appOnDevice: 'تطبيق على هذا الجهاز ({host})',
    appThatOpens: 'التطبيق الذي يفتح {address} على هذا الجهاز',
    onDevice: 'تطبيق على جهاز',
    anyAppOnDevice: 'يمكن لأي تطبيق على هذا الجهاز أن ينتحل صفة {client}. لا تتابع إلا إذا شغّلته بنفسك.',
    notChecked: 'لم تتحقق شركة {tenant} من هذا التطبيق. لا تسمح له إلا إذا طلبت منه الاتصال للتو.',
    allow: 'السماح',
    deny: 'الرفض',
    end: 'نهاية الصفحة',
  },
  error: {
    title: 'لا يمكن متابعة تسجيل الدخول',
    noAnswer:
      'لكل تطبيق من هذا النوع عنوان نبحث فيه عن معلوماته. لم يستجب هذا العنوان هذه المرة. لا توجد أي مشكلة في حسابك.',
    tryAgain: 'يُرجى المحاولة مرة أخرى بعد قليل.',
    repeat: 'إعادة المحاولة',
    goBack: 'يُرجى العودة إلى التطبيق الذي أتيت منه وربطه من جديد.',
    notAllowed: 'لا تسمح {tenant} لهذا التطبيق بالاتصال. إذا كنت بحاجة إليه، فيُرجى التواصل مع {tenant}.',
    forDeveloper: 'لمطوّر التطبيق: {error}',
  },
  links: { privacy: 'الخصوصية', terms: 'الشروط', imprint: 'الإشعار القانوني', support: 'المساعدة' },
}
